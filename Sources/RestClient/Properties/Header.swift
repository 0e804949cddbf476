public import RestEngine

/// A header of a request. Values of a name that is a list, such as Accept, join those before; of any other
/// name the last value counts (rules 35.2, 35.3).
public struct Header: RequestProperty, Hashable {
    /// Compares without case.
    public let name: HeaderName
    /// The value that is sent; a line break in it is an error.
    public let value: String

    /// A header. A name or a value that HTTP can't carry is the error of each request.
    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        self.value = value
    }

    public func add(to properties: inout CallProperties) {
        if let problem = Headers.problem(name: name.rawValue, value: value) {
            return properties.fail(DefinitionError(.invalidHeader, problem))
        }
        properties.add([HeaderItem(name.rawValue, value)])
    }
}

extension Header {
    /// Accept: the types of content that the client takes.
    public static func accept(_ type: ContentType) -> Header { Header(.accept, type.rawValue) }

    /// Languages as `en, de;q=0.5`.
    public static func acceptLanguage(_ languages: String) -> Header { Header("Accept-Language", languages) }

    /// Content-Type of the body.
    public static func contentType(_ type: ContentType) -> Header { Header(.contentType, type.rawValue) }

    /// Cache-Control, directives as text.
    public static func cacheControl(_ directives: String) -> Header { Header("Cache-Control", directives) }

    /// Credentials as they are sent behind the scheme; see also ``Authorize``, which asks for them anew with
    /// each request.
    public static func authorization(_ scheme: AuthorizationScheme, value: String) -> Header {
        Header(.authorization, "\(scheme.rawValue) \(value)")
    }

    /// A whole value of Authorization.
    public static func authorization(_ value: String) -> Header { Header(.authorization, value) }

    /// Basic credentials of a name and a password (RFC 7617).
    public static func authorization(user: String, password: String) -> Header {
        authorization(.basic, value: Base64.encode(Array("\(user):\(password)".utf8)))
    }
}

/// A media type, as `"application/json"`.
public struct ContentType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral text: String) { rawValue = text }

    /// JSON (RFC 8259).
    public static let applicationJSON: ContentType = "application/json"
    /// Text (RFC 2046 4.1.3).
    public static let textPlain: ContentType = "text/plain"
    /// A form (URL Standard 5.1).
    public static let formURLEncoded: ContentType = "application/x-www-form-urlencoded"
    /// Bytes (RFC 2046 4.5.1).
    public static let octetStream: ContentType = "application/octet-stream"
}

/// The first word of Authorization (RFC 9110 11.1).
public struct AuthorizationScheme: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral text: String) { rawValue = text }

    /// A user name and a password (RFC 7617).
    public static let basic: AuthorizationScheme = "Basic"
    /// A token (RFC 6750).
    public static let bearer: AuthorizationScheme = "Bearer"
    /// A proof of a password (RFC 7616).
    public static let digest: AuthorizationScheme = "Digest"
}

extension Headers: RequestProperty {
    /// Several headers:
    ///
    ///     Headers {
    ///         Header.contentType(.applicationJSON)
    ///         ("X-Trace", "7")
    ///     }
    public init(@HeadersBuilder _ block: () -> [Header]) {
        self.init(block().map { Field($0.name.rawValue, $0.value) })
    }

    public func add(to properties: inout CallProperties) {
        if let problem { return properties.fail(DefinitionError(.invalidHeader, problem)) }
        // Those that are left out first: a field by the same name is none of them.
        properties.add(
            omitted.sorted().map { HeaderItem($0, []) } + fields.map { HeaderItem($0.name, $0.value) })
    }
}

/// Makes `Headers` of headers, pairs and dictionaries.
@resultBuilder
public enum HeadersBuilder: BlockBuilder {
    /// Nil says nothing.
    public static func buildExpression(_ header: Header?) -> [Header] { header.map { [$0] } ?? [] }

    /// Nil says nothing.
    public static func buildExpression(_ header: (HeaderName, String?)) -> [Header] {
        header.1.map { [Header(header.0, $0)] } ?? []
    }

    /// In the order of the names, since a dictionary has none; a name whose value is nil says nothing.
    public static func buildExpression(_ headers: [String: String?]) -> [Header] {
        headers.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { Header(HeaderName(rawValue: name), $0) }
        }
    }

    /// Headers that were made elsewhere.
    public static func buildExpression(_ headers: Headers) -> [Header] {
        headers.fields.map { Header(HeaderName(rawValue: $0.name), $0.value) }
    }

    public static func buildArray(_ parts: [[Header]]) -> [Header] { parts.flatMap { $0 } }
}
