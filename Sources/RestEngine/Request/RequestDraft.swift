/// A request before it is sent, for mutators to edit.
public struct RequestDraft: Sendable, Equatable {
    /// The method: any token (D25).
    public var method: String
    /// The whole URL, as text.
    public var url: String
    /// All headers, except the framing headers of the transport.
    public var headers: Headers
    /// The partition of the resource that is requested; nil: that of everybody (rules 77).
    public internal(set) var partition: String?
    var payload: RequestPayload

    /// A message that is not bound to a resource.
    public init(method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        payload = body.map(RequestPayload.bytes) ?? .none
    }

    /// The body, if it is in memory; setting it replaces an ``upload``.
    public var body: [UInt8]? {
        get { if case .bytes(let bytes) = payload { bytes } else { nil } }
        set { payload = newValue.map(RequestPayload.bytes) ?? .none }
    }

    /// The body, if it is read while it is sent; setting it replaces ``body``.
    public var upload: Upload? {
        get { if case .upload(let upload) = payload { upload } else { nil } }
        set { payload = newValue.map(RequestPayload.upload) ?? .none }
    }

    /// Throws before any message is sent, for a malformed method (D25), text that is no URL, or a header that
    /// would break the message (RFC 9110 5.5). `known` is a URL that was checked before.
    mutating func validate(known: URLText) throws(RequestError.CauseError) {
        method = try Self.normalized(method: method)
        if url != known.string { try Self.check(url: url) }
        if let problem = headers.problem {
            throw RequestError.CauseError(.invalidHeader(message: problem))
        }
    }

    /// The method as it is sent.
    package static func normalized(method: String) throws(RequestError.CauseError) -> String {
        guard let known = Method.normalized(method) else {
            throw RequestError.CauseError(.invalidRequestMethod(method: method))
        }
        return known
    }

    /// Throws for text that is no absolute http URL, or has a dot segment (D31).
    package static func check(url: String) throws(RequestError.CauseError) {
        guard let target = URLText(url), target.isHTTP, !target.hasDotSegment else {
            throw RequestError.CauseError(.invalidURL(source: url))
        }
    }
}

extension RequestPlan {
    /// Builds the draft in this order: URL and method, configured headers, the caller's mutation, configured
    /// mutators (rule 15.1).
    @EngineActor
    func draft(for resource: Resource) throws(RequestError) -> RequestDraft {
        let resolved = resource.resolvedConfiguration(for: method, own: configuration)
        if let failure = resolved.failure { throw failure }
        guard let url = resource.url else {
            throw RequestError(
                cause: .invalidURL(source: resource.invalidSource), timestamp: resource.engine.scheduler.now,
                method: method)
        }
        var draft = RequestDraft(method: method, url: url.string, headers: resolved.configuration.headers)
        draft.partition = resource.clientPartition
        if let client = resource.clientForRequest {
            draft.headers.replace(by: client.headers)
            resource.needsClient()
        }
        resource.additions?.write(to: &draft)
        do {
            if isLoad { resource.makeConditional(&draft) }
            for mutation in mutations { try mutation(&draft) }
            let mutators = resolved.configuration.mutators
            if !mutators.isEmpty {
                try resource.service.core.configuration.limited(url) {
                    for mutator in mutators { try mutator.function(&draft) }
                }
            }
            try draft.validate(known: url)
            return draft
        } catch {
            throw RequestError(
                thrown: error, timestamp: resource.engine.scheduler.now, url: url.string, method: method)
        }
    }
}

/// The body of a request.
enum RequestPayload: Sendable, Hashable {
    case none
    case bytes([UInt8])
    case upload(Upload)

    init(_ bytes: [UInt8]?, _ upload: Upload?) {
        self = upload.map(RequestPayload.upload) ?? bytes.map(RequestPayload.bytes) ?? .none
    }

    /// Whether the body is a stream, and a part of it has been sent.
    var isSpent: Bool {
        if case .upload(.stream(let pipe)) = self { pipe.isSpent } else { false }
    }

    /// Whether the body is a stream that can be sent only once.
    var isSentOnce: Bool { if case .upload(.stream) = self { true } else { false } }

    static let spentMessage = "its body was streamed, and is gone"
    static let changedMessage = "a file of its body has changed meanwhile"
}

extension String {
    /// The text with control characters escaped, for messages.
    var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value < 0x20 || scalar.value == 0x7F {
                text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The caller's additions to a request, besides its method.
public struct RequestOptions: Sendable {
    /// The body; nil for none.
    public var body: RequestBody?
    /// Replaces the content type of the kind of body.
    public var contentType: String?
    /// Sent as Idempotency-Key, the same for the request and its repeats.
    public var idempotencyKey: String?
    /// Override the configured headers.
    public var headers = Headers()
    /// Parameters added to the resource's URL; nil removes one.
    public var query: [(name: String, values: [String]?)] = []
    /// Edits the request before the configured mutators do (rules 6.7, 15.1).
    public var mutate: RequestMutation?
    /// For the whole request, instead of the configured ``Timeouts/total``, which nil leaves.
    public var timeout: Duration? {
        get { timeoutSeconds.flatMap { $0 > 0 ? Duration(inSeconds: $0) : nil } }
        set { timeoutSeconds = newValue.map { Timeouts.seconds($0) } }
    }
    /// The same in seconds; 0 for any time.
    package var timeoutSeconds: Double?

    /// False: the body is returned as the server sent it.
    public var usesPipeline = true
    /// The path of a file for the body of a success, which appears in one step when it is complete (56.3);
    /// after a cut connection the download is resumed. The content is then a ``Tree`` with `path` and
    /// `bytes`, and no pipeline runs.
    public var file: String?
    /// Gets the body of a success as it arrives, instead of ``file``; the entity then has no content, and no
    /// pipeline runs. A request that a decorator returns instead may ignore it.
    package var receiver: (any BodyReceiver)?

    /// Repeated names become a list of values.
    static func grouped(_ query: KeyValuePairs<String, String?>) -> [(name: String, values: [String]?)] {
        var grouped: [(name: String, values: [String]?)] = []
        for (name, value) in query {
            if let value, let place = grouped.firstIndex(where: { $0.name == name && $0.values != nil }) {
                grouped[place].values?.append(value)
            } else {
                grouped.append((name, value.map { [$0] }))
            }
        }
        return grouped
    }

    /// Options that only set the body.
    public init(body: RequestBody? = nil, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}
