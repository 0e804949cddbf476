/// Makes a new response from a response: it may change content, headers, message or outcome (rule 17.1).
@EngineActor
public protocol Transformer: Sendable {
    /// For `explain`, logs and errors.
    nonisolated var description: String { get }
    /// Its source line, `file:line`; nil where its description is enough.
    nonisolated var origin: String? { get }

    /// Equal for transformers with the same effect, across reloads of a script. By default made from the type
    /// and its fields.
    var fingerprint: UInt64 { get }

    /// The response for the next step: the same one, or another. A failure is a response too.
    func process(_ response: Response, _ context: PipelineContext) -> Response
}

/// The facts about a request that a transformer may use for its response.
public struct PipelineContext: Sendable {
    /// The URL of the response, after redirects.
    public let url: String
    /// The method that was sent last.
    public let method: String
    /// Unix time at which the response arrived.
    public let now: Double
    /// The status of the response; nil when none arrived.
    public let status: Int?
    /// The limit for the bytes of the decoded body.
    public let maxBodyBytes: Int
    /// True if no further step follows and the outcome is published: then JSON may stay text.
    package internal(set) var isPublished = false
    /// JSON that is a number, string, boolean or null is content too, for a caller that says which type it
    /// expects.
    var allowsFragments = false
    /// The log, for facts that the response does not contain.
    let log: EngineLog?

    package init(
        url: String, method: String, now: Double, status: Int? = nil, maxBodyBytes: Int = 64 << 20,
        log: EngineLog? = nil
    ) {
        self.url = url
        self.method = method
        self.now = now
        self.status = status
        self.maxBodyBytes = maxBodyBytes
        self.log = log
    }

    /// The same without the log, for other threads.
    var withoutLog: PipelineContext {
        var context = PipelineContext(
            url: url, method: method, now: now, status: status, maxBodyBytes: maxBodyBytes)
        context.allowsFragments = allowsFragments
        return context
    }
}

/// A transformer that needs no state of the engine loop and may run on any thread: next to offloaded steps it
/// runs in the same job.
public protocol PortableTransformer: Transformer {
    /// As ``Transformer/process(_:_:)``; `note` gets texts for the log only.
    nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response
}

extension PortableTransformer {
    public func process(_ response: Response, _ context: PipelineContext) -> Response {
        process(response, context) { context.log?.write(.pipeline, $0) }
    }
}

extension Transformer {
    public nonisolated var origin: String? { nil }

    /// Applies `transform` to the content of a success, and to the body of a failure if `errors` is set. A
    /// success that can't be parsed becomes a failure that keeps status and body (17.7, D12). A failure whose
    /// body can't be parsed stays the same, and only the log mentions it (17.8, 17.9).
    ///
    /// - Parameters:
    ///   - empty: Whether to apply `transform` also to a success without a body; otherwise it is passed on
    ///     (D30).
    ///   - body: Returns the body if the new content is only another form of it; nil otherwise.
    ///   - transform: Returns nil to leave the content as it is.
    nonisolated func mapContent(
        of response: Response, errors: Bool, empty: Bool, _ context: PipelineContext, note: (String) -> Void,
        body: (Entity, Content) -> ReadBody? = { _, _ in nil }, _ transform: (Entity) throws -> Content?
    ) -> Response {
        switch response {
        case .success(var entity):
            guard empty || !entity.content.isNoBody else { return response }
            do {
                guard let content = try transform(entity), !content.isSameText(as: entity.content) else {
                    return response
                }
                entity.read(content, of: body(entity, content))
                return .success(entity)
            } catch {
                return response.failed(
                    with: error, userMessage: RequestError.unparsableMessage, in: context)
            }
        case .failure(var error):
            guard errors, let entity = error.entity else { return response }
            do {
                guard let content = try transform(entity), !content.isSameText(as: entity.content) else {
                    return response
                }
                error.entity?.read(content, of: body(entity, content))
                return .failure(error)
            } catch let problem {
                note(
                    "\(context.method) \(context.url): \(description) leaves the error's body: \(Self.why(problem))"
                )
                return response
            }
        }
    }

    private nonisolated static func why(_ problem: any Error) -> String {
        let error = RequestError(thrown: problem, timestamp: 0)
        return error.cause.map { $0.detail ?? $0.code } ?? error.userMessage
    }
}

extension Response {
    /// The failure of a response that a transformer rejected: status and body are kept (D12).
    public func failed(
        with error: any Error, userMessage: String? = nil, in context: PipelineContext
    ) -> Response {
        .failure(
            RequestError(
                thrown: error, userMessage: userMessage, entity: entity,
                httpStatusCode: self.error?.httpStatusCode ?? context.status, timestamp: context.now,
                url: context.url, method: context.method))
    }
}

extension RequestError {
    /// The message for people when a transformer failed without a message of its own (rule 17.7).
    package static let unparsableMessage = "Cannot parse server response"
}
