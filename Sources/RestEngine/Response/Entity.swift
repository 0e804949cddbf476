/// Data with its metadata: the outcome of a request, the data of a resource, an entry of a cache.
public struct Entity: Sendable {
    /// One reference instead of eight: an entity is copied at each step of a request and rarely changed; a
    /// change makes a new one.
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

    /// Whether this is an unchanged copy of `other`.
    func isSame(as other: Entity) -> Bool { storage === other.storage }

    /// The output of the pipeline, or the body itself.
    public var content: Content {
        get { storage.fields.content }
        set {
            change {
                $0.content = newValue
                $0.body = nil
            }
        }
    }
    /// The body if ``content`` is only another form of it, with the type that the server gave: clients get it
    /// as long as no stage has changed the content. Nil for any other content.
    package var body: ReadBody? { storage.fields.body }

    /// Replaces the content by the form that a parser read from the body. Without a Content-Type the content
    /// determines the type.
    mutating func read(_ content: Content, of body: ReadBody?) {
        change {
            $0.content = content
            $0.body = $0.headers["Content-Type"] == nil ? nil : body
        }
    }

    /// As received, or as given if it was made locally.
    public var headers: Headers {
        get { storage.fields.headers }
        set {
            change {
                // The body belongs to the type that came with it.
                if $0.headers["Content-Type"] != newValue["Content-Type"] { $0.body = nil }
                $0.headers = newValue
            }
        }
    }
    /// The charset that the server named, or that was given; nil if there is none (rule 19.3).
    public var charset: String? {
        get { storage.fields.charset }
        set { change { $0.charset = newValue } }
    }
    /// When it was received or last confirmed, Unix time in seconds.
    public var timestamp: Double {
        get { storage.fields.timestamp }
        set { change { $0.timestamp = newValue } }
    }
    /// The status of the response that brought the content, from 100 to 999; nil if it was made locally
    /// (D37). A 304 confirms the existing entity, which keeps its status.
    public var status: Int? {
        get { storage.fields.status }
        set { change { $0.status = newValue } }
    }
    /// The URL of that response, after redirects.
    public var url: String? {
        get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// The HTTP version of that response: `1.1`, `2`.
    public var httpVersion: String? {
        get { storage.fields.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }

    /// Makes a local or cached entity. `contentType` replaces a Content-Type among the headers; `timestamp`
    /// is in Unix seconds, by default now.
    public init(
        content: Content, contentType: String? = nil, charset: String? = nil, headers: Headers = Headers(),
        timestamp: Double? = nil
    ) {
        var headers = headers
        if let contentType { headers.set("Content-Type", contentType) }
        storage = Storage(
            Fields(
                content: content, headers: headers,
                charset: charset ?? headers["Content-Type"].flatMap(MediaType.charset(of:)),
                timestamp: timestamp ?? InternetTime.now))
    }

    /// The entity of a server's response to a request of `url`.
    package init(response: TransportResponse, url: String? = nil, timestamp: Double) {
        storage = Storage(
            Fields(
                content: .bytes(response.body), headers: response.headers,
                charset: response.headers["Content-Type"].flatMap(MediaType.charset(of:)),
                timestamp: timestamp, status: response.status, url: url,
                httpVersion: Self.number(ofVersion: response.httpVersion)))
    }

    /// `1.1` for `HTTP/1.1`.
    package static func number(ofVersion version: String) -> String? {
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

/// Text as it was given, possibly invalid UTF-8: for errors about text that can't be sent.
public struct RawText: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes as given.
    public let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    public init(stringLiteral text: String) { self.init(text) }

    /// The text, with U+FFFD for invalid bytes.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Entity {
    /// The content as a `Value`: unchanged if it is one (``Content/cast(to:)``); otherwise, for a `Decodable`
    /// type, decoded from its tree at each call. To decode once for all readers, see
    /// ``Service/model(_:at:stage:methods:decoder:onEngineLoop:description:fileID:line:)``.
    ///
    /// - Throws: A ``RequestError`` with this entity. With cause `undecodable_content` it names the location
    ///   and the mismatch: `users[3].login: expected string, got number`. With cause `wrong_input_type` there
    ///   is no tree to decode.
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
    /// For a type that is known only at run time.
    fileprivate func decodeAny<Value: Decodable>(
        _ type: Value.Type, from tree: Tree
    ) throws(CodingError) -> Any {
        try decode(type, from: tree)
    }
}

extension RequestError {
    /// The same error with the URL and method of a request that it lacked.
    func of(url: String, method: String) -> RequestError {
        var error = self
        error.url = error.url ?? url
        error.method = error.method ?? method
        return error
    }
}
