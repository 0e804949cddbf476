/// A piece of data with what was said about it: the outcome of a request, what a resource holds, what a cache
/// keeps.
public struct Entity: Sendable {
    /// One reference in place of eight: an entity is copied at each step of a request and hardly ever
    /// changed; then it is made anew.
    private var storage: Storage

    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }

        deinit {
            if fields.content.heldBytes > LargeContent.leastDiscardedSize {
                LargeContent.discard(fields.content)
            }
            if let body = fields.body, body.heldBytes > LargeContent.leastDiscardedSize {
                LargeContent.discard(body)
            }
        }
    }

    private struct Fields {
        var content: Content
        var body: ReadBody?
        var headers: Headers
        var charset: String?
        var timestamp: Double
        var status: Int?
        var url: String?
        var httpVersion: String?
    }

    private mutating func change(_ edit: (inout Fields) -> Void) {
        var fields = storage.fields
        edit(&fields)
        storage = Storage(fields)
    }

    /// A copy of it that nobody changed since, nor this one.
    func isSame(as other: Entity) -> Bool { storage === other.storage }

    /// What the pipeline made of the body, or the body itself.
    public var content: Content {
        get { storage.fields.content }
        set {
            change {
                $0.content = newValue
                $0.body = nil
            }
        }
    }
    /// The body of which ``content`` is but another form, with the type that the server gave it: what clients
    /// get as long as nothing has made something else of it. Nil for content that is no such form.
    package var body: ReadBody? { storage.fields.body }

    /// What a parser read of the body takes its place. Without a type it is the content that says what it is.
    mutating func read(_ content: Content, of body: ReadBody?) {
        change {
            $0.content = content
            $0.body = $0.headers["Content-Type"] == nil ? nil : body
        }
    }

    /// As received, or as given when it was made locally.
    public var headers: Headers {
        get { storage.fields.headers }
        set {
            change {
                // The body is of the type that came with it.
                if $0.headers["Content-Type"] != newValue["Content-Type"] { $0.body = nil }
                $0.headers = newValue
            }
        }
    }
    /// The charset that the server named, or that was given; nil when nobody said (rule 19.3).
    public var charset: String? {
        get { storage.fields.charset }
        set { change { $0.charset = newValue } }
    }
    /// When it was received or last confirmed, Unix time in seconds.
    public var timestamp: Double {
        get { storage.fields.timestamp }
        set { change { $0.timestamp = newValue } }
    }
    /// Of the response that the content came with, from 100 to 999; nil if it was made locally (D37). A 304
    /// confirms the entity that is there, which keeps its own.
    public var status: Int? {
        get { storage.fields.status }
        set { change { $0.status = newValue } }
    }
    /// Where that response came from, after redirects.
    public var url: String? {
        get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// In which HTTP: `1.1`, `2`.
    public var httpVersion: String? {
        get { storage.fields.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }

    /// A local or cached entity. `contentType` replaces a Content-Type among the headers; `timestamp` is Unix
    /// time in seconds, by default now.
    public init(
        content: Content, contentType: String? = nil, charset: String? = nil, headers: Headers = Headers(),
        timestamp: Double = InternetTime.now
    ) {
        var headers = headers
        if let contentType { headers.set("Content-Type", contentType) }
        storage = Storage(
            Fields(
                content: content, headers: headers,
                charset: charset ?? headers["Content-Type"].flatMap(MediaType.charset(of:)),
                timestamp: timestamp))
    }

    /// The entity of a server's response to a request of `url`.
    public init(response: TransportResponse, url: String? = nil, timestamp: Double) {
        storage = Storage(
            Fields(
                content: .bytes(response.body), headers: response.headers,
                charset: response.headers["Content-Type"].flatMap(MediaType.charset(of:)),
                timestamp: timestamp, status: response.status, url: url,
                httpVersion: Self.number(ofVersion: response.httpVersion)))
    }

    /// `1.1` of `HTTP/1.1`.
    static func number(ofVersion version: String) -> String? {
        switch version {
        case "HTTP/1.1": "1.1"
        case "HTTP/2": "2"
        case "": nil
        default: version.hasPrefix("HTTP/") ? String(version.dropFirst(5)) : version
        }
    }

    /// The Content-Type with its parameters; `application/octet-stream` when there is none (19.2).
    public var contentType: String { headers["Content-Type"] ?? "application/octet-stream" }

    /// The ETag verbatim, quotes included (19.5).
    public var etag: String? { headers["ETag"] }

    /// The Last-Modified verbatim (D14).
    public var lastModified: String? { headers["Last-Modified"] }
}

/// Text as it was given, which may be no UTF-8: what an error says can't be sent.
public struct RawText: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes as they came.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(_ text: String) { bytes = Array(text.utf8) }

    public init(stringLiteral text: String) { self.init(text) }

    /// With U+FFFD for what is no UTF-8.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Entity {
    /// The content as a `Value`: as it is when it is one (``Content/cast(to:)``); else, for a `Decodable`
    /// type, decoded from its tree, at each call. To decode once for all who ask, see
    /// ``Service/model(_:at:stage:methods:decoder:onEngineLoop:description:fileID:line:)``.
    ///
    /// - Throws: A ``RequestError`` with this entity. Its cause `undecodable_content` says what is wrong
    ///   where, `users[3].login: expected string, got number`; `wrong_input_type`, that there is nothing to
    ///   decode.
    public func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) throws(RequestError) -> Value {
        if let value = content.cast(to: type) { return value }
        if let tree = content.anyTree, let decodable = type as? any Decodable.Type {
            do throws(CodingError) {
                if let value = try decoder.decodeAny(decodable, from: tree) as? Value { return value }
            } catch {
                throw RequestError(entity: self, cause: .undecodableContent(error), timestamp: timestamp)
            }
        }
        let cause = RequestError.Cause.wrongInputType(
            expected: Content.typeName(of: type), actual: content.swiftTypeName, transformer: "the caller")
        throw RequestError(entity: self, cause: cause, timestamp: timestamp)
    }
}

extension TreeDecoder {
    /// For a type that is not known before the program runs.
    fileprivate func decodeAny<Value: Decodable>(
        _ type: Value.Type, from tree: Tree
    ) throws(CodingError) -> Any {
        try decode(type, from: tree)
    }
}

extension RequestError {
    /// The same error, naming a request that it didn't know of.
    func of(url: String, method: String) -> RequestError {
        var error = self
        error.url = error.url ?? url
        error.method = error.method ?? method
        return error
    }
}
