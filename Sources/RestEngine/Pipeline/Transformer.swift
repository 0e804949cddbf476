/// Turns a response into another: content, headers, message or outcome (rule 17.1).
@EngineActor
public protocol Transformer: Sendable {
    /// For `explain`, logs and errors.
    nonisolated var description: String { get }
    /// Where it was written, `file:line`; nil where its description says all.
    nonisolated var origin: String? { get }

    /// The same for transformers that do the same, across reloads of a script. By default of the type and its
    /// fields.
    var fingerprint: UInt64 { get }

    func process(_ response: Response, _ context: PipelineContext) -> Response
}

/// What a transformer may know of the request whose response it gets.
public struct PipelineContext: Sendable {
    /// Of the response: after redirects.
    public let url: String
    /// The method that was sent last.
    public let method: String
    /// Unix time at which the response arrived.
    public let now: Double
    /// Of the response; nil when none arrived.
    public let status: Int?
    /// Cap on the decoded body of the response, in bytes.
    public let maxBodyBytes: Int
    /// Nothing follows in the pipeline, and what comes of it is shown to readers: JSON is wanted as text.
    package internal(set) var isPublished = false
    /// For what the response doesn't tell.
    let log: EngineLog?

    public init(
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

    /// For other threads.
    var withoutLog: PipelineContext {
        PipelineContext(url: url, method: method, now: now, status: status, maxBodyBytes: maxBodyBytes)
    }
}

/// A transformer that needs nothing of the engine loop, so it may run on any thread: beside those that run
/// elsewhere it is done in the same job.
public protocol PortableTransformer: Transformer {
    /// As ``Transformer/process(_:_:)``; `note` gets what only the log shall know.
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
    /// success that can't be parsed becomes a failure that keeps status and body (17.7, D12); the body of a
    /// failure that can't be parsed leaves it as it is, and is only logged (17.8, 17.9).
    ///
    /// - Parameters:
    ///   - empty: A success without a body is given to `transform` too; else it is passed on (D30).
    ///   - body: The body of which a new content is but another form; nil when it is something else.
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
    /// The failure of a response that a transformer could not take: status and body stay (D12).
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
    /// What people read when a transformer failed without words of its own (rule 17.7).
    public static let unparsableMessage = "Cannot parse server response"
}
