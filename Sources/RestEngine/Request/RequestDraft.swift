/// A request while it is put together; what mutators edit.
public struct RequestDraft: Sendable, Equatable {
    /// The method: any token (D25).
    public var method: String
    /// The whole URL, as text.
    public var url: String
    /// All that are sent but those of the transport's framing.
    public var headers: Headers
    var payload: RequestPayload

    public init(method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        payload = body.map(RequestPayload.bytes) ?? .none
    }

    /// The body, if it is in memory; setting it takes the place of an ``upload``.
    public var body: [UInt8]? {
        get { if case .bytes(let bytes) = payload { bytes } else { nil } }
        set { payload = newValue.map(RequestPayload.bytes) ?? .none }
    }

    /// The body, if it is read while it is sent; setting it takes the place of ``body``.
    public var upload: Upload? {
        get { if case .upload(let upload) = payload { upload } else { nil } }
        set { payload = newValue.map(RequestPayload.upload) ?? .none }
    }

    /// What can't be sent, said before anything is: a malformed method (D25), a URL that is none, a header
    /// that would break the message apart (RFC 9110 5.5). `known` is a URL that needs no second look.
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

    /// Throws for a text that is no absolute http URL, or has a dot segment (D31).
    package static func check(url: String) throws(RequestError.CauseError) {
        guard let target = URLText(url), target.isHTTP, !target.hasDotSegment else {
            throw RequestError.CauseError(.invalidURL(source: url))
        }
    }
}

extension RequestPlan {
    /// URL and method → configured headers → the caller's mutation → configured mutators (rule 15.1).
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
        do {
            if isConditional { resource.makeConditional(&draft) }
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

/// What a request has for a body.
enum RequestPayload: Sendable, Hashable {
    case none
    case bytes([UInt8])
    case upload(Upload)

    init(_ bytes: [UInt8]?, _ upload: Upload?) {
        self = upload.map(RequestPayload.upload) ?? bytes.map(RequestPayload.bytes) ?? .none
    }

    /// Its body came as it was sent, and some of it has been.
    var isSpent: Bool {
        if case .upload(.stream(let pipe)) = self { pipe.isSpent } else { false }
    }

    /// Its body comes as it is sent.
    var isSentOnce: Bool { if case .upload(.stream) = self { true } else { false } }

    static let spentMessage = "its body was sent as it came, and is gone"
    static let changedMessage = "a file of its body has changed meanwhile"
}

extension String {
    /// With control characters spelled out, for messages.
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

/// What a caller adds to a request, beside its method.
public struct RequestOptions: Sendable {
    /// The body; nil for none.
    public var body: RequestBody?
    /// Replaces the content type that the kind of body brings.
    public var contentType: String?
    /// Sent as Idempotency-Key, the same for the request and its repeats.
    public var idempotencyKey: String?
    /// Set over the configured headers.
    public var headers = Headers()
    /// Parameters added to the resource's URL; nil removes one.
    public var query: [(name: String, values: [String]?)] = []
    /// Edits the request before the configured mutators do (rules 6.7, 15.1).
    public var mutate: RequestMutation?
    /// For the whole exchange, in place of the configured ``Timeouts/total``; zero for any time.
    public var timeout: Duration?

    /// False: the body comes back as the server sent it.
    public var usesPipeline = true
    /// Path of a file that gets the body of a success, in one step when it is whole (56.3); what a cut
    /// connection has left is gone on with. Then the content is a ``Tree`` with `path` and `bytes`, and no
    /// pipeline runs.
    public var file: String?
    /// Gets the body of a success as it comes, in place of ``file``; then the entity has no content, and no
    /// pipeline runs. What a decorator puts in place of the request may know nothing of it.
    package var receiver: (any BodyReceiver)?

    /// A name that is given more than once is a list of values.
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

    /// Options that say only what the body is.
    public init(body: RequestBody? = nil, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}
