import Platform

/// The name of a header field; names that differ only in case are equal (RFC 9110 5.1).
///
///     headers[.accept] = "application/json"   headers["X-Request-ID"] = id
public struct HeaderName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as it is sent.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The field of that name.
    public init(_ name: String) { rawValue = name }

    public init(stringLiteral name: String) { rawValue = name }

    public var description: String { rawValue }

    public static func == (a: HeaderName, b: HeaderName) -> Bool {
        a.rawValue.equalsIgnoringCase(b.rawValue)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.asciiLowercased) }
    }
}

extension HeaderName {
    /// RFC 9110 12.5.1.
    public static let accept: HeaderName = "Accept"
    /// RFC 9110 12.5.2.
    public static let acceptCharset: HeaderName = "Accept-Charset"
    /// RFC 9110 12.5.3.
    public static let acceptEncoding: HeaderName = "Accept-Encoding"
    /// RFC 9110 12.5.4.
    public static let acceptLanguage: HeaderName = "Accept-Language"
    /// RFC 9110 11.6.2.
    public static let authorization: HeaderName = "Authorization"
    /// RFC 9111 5.2.
    public static let cacheControl: HeaderName = "Cache-Control"
    /// RFC 6266.
    public static let contentDisposition: HeaderName = "Content-Disposition"
    /// RFC 9110 8.4.
    public static let contentEncoding: HeaderName = "Content-Encoding"
    /// RFC 9110 8.5.
    public static let contentLanguage: HeaderName = "Content-Language"
    /// RFC 9110 8.6.
    public static let contentLength: HeaderName = "Content-Length"
    /// RFC 9110 8.3.
    public static let contentType: HeaderName = "Content-Type"
    /// RFC 6265 4.2.
    public static let cookie: HeaderName = "Cookie"
    /// RFC 9110 6.6.1.
    public static let date: HeaderName = "Date"
    /// RFC 9110 8.8.3.
    public static let etag: HeaderName = "ETag"
    /// draft-ietf-httpapi-idempotency-key-header.
    public static let idempotencyKey: HeaderName = "Idempotency-Key"
    /// RFC 9110 13.1.1.
    public static let ifMatch: HeaderName = "If-Match"
    /// RFC 9110 13.1.3.
    public static let ifModifiedSince: HeaderName = "If-Modified-Since"
    /// RFC 9110 13.1.2.
    public static let ifNoneMatch: HeaderName = "If-None-Match"
    /// RFC 9110 8.8.2.
    public static let lastModified: HeaderName = "Last-Modified"
    /// RFC 8288 3.
    public static let link: HeaderName = "Link"
    /// RFC 9110 10.2.2.
    public static let location: HeaderName = "Location"
    /// RFC 6454 7.
    public static let origin: HeaderName = "Origin"
    /// RFC 7240 2.
    public static let prefer: HeaderName = "Prefer"
    /// RFC 9110 14.2.
    public static let range: HeaderName = "Range"
    /// RFC 9110 10.1.3.
    public static let referer: HeaderName = "Referer"
    /// RFC 9110 10.2.3.
    public static let retryAfter: HeaderName = "Retry-After"
    /// RFC 6265 4.1.
    public static let setCookie: HeaderName = "Set-Cookie"
    /// RFC 9110 10.1.5.
    public static let userAgent: HeaderName = "User-Agent"
    /// RFC 9110 11.6.1.
    public static let wwwAuthenticate: HeaderName = "WWW-Authenticate"
}

/// The fields, in their order.
extension Headers: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }
    public subscript(position: Int) -> Field { fields[position] }
}

/// A name may occur more than once.
extension Headers: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (HeaderName, String)...) {
        self.init(elements.map { Field($0.0.rawValue, $0.1) })
    }
}

extension Headers {
    /// The value of a name, read and written as by ``subscript(_:)-(String)``.
    public subscript(name: HeaderName) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }

    /// All values of a name, in order.
    public func values(_ name: HeaderName) -> [String] { values(name.rawValue) }

    /// Whether there is a field with that name.
    public func contains(_ name: HeaderName) -> Bool { contains(name.rawValue) }

    /// Replaces all values of a name by one, at the position of the first.
    public mutating func set(_ name: HeaderName, _ value: String) { set(name.rawValue, value) }

    /// Adds a field at the end, also if others have the same name.
    public mutating func add(_ name: HeaderName, _ value: String) { add(name.rawValue, value) }

    /// Removes all fields of a name, and keeps the transport from adding its own.
    public mutating func omit(_ name: HeaderName) { omit(name.rawValue) }

    /// Removes all fields of a name; the transport may add its own.
    public mutating func remove(_ name: HeaderName) { remove(name.rawValue) }
}
