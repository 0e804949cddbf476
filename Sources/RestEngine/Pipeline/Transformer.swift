/// Turns a response into another: content, headers, message or outcome (siesta-semantics 17.1).
@EngineActor
public protocol Transformer: Sendable {
    /// For `explain`, logs and errors.
    nonisolated var description: String { get }

    func process(_ response: Response, _ context: PipelineContext) -> Response
}

/// What a transformer may know of the request whose response it gets.
public struct PipelineContext: Sendable {
    public let url: String
    public let method: String
    /// Unix time at which the response arrived.
    public let now: Double
    /// Of the response; nil when none arrived.
    public let status: Int?
    /// For what the response doesn't tell.
    let log: EngineLog?

    public init(url: String, method: String, now: Double, status: Int? = nil, log: EngineLog? = nil) {
        self.url = url
        self.method = method
        self.now = now
        self.status = status
        self.log = log
    }
}

extension Transformer {
    /// The failure that a success becomes when it can't be parsed: status and body are kept (D12).
    func failure(
        _ cause: RequestError.Cause, from entity: Entity, _ context: PipelineContext
    ) -> Response {
        .failure(
            RequestError(
                httpStatusCode: context.status, entity: entity, cause: cause, timestamp: context.now,
                url: context.url, method: context.method))
    }

    /// Applies `transform` to the content of a success, and to the body of a failure if `errors` is set; a body
    /// that can't be parsed leaves its error as it is and is only logged (17.8, 17.9).
    func mapContent(
        of response: Response, errors: Bool, _ context: PipelineContext,
        _ transform: (Entity) throws(RequestError.CauseError) -> Content?
    ) -> Response {
        switch response {
        case .success(var entity):
            do {
                guard let content = try transform(entity) else { return response }
                entity.content = content
                return .success(entity)
            } catch { return failure(error.cause, from: entity, context) }
        case .failure(var error):
            guard errors, let entity = error.entity else { return response }
            do {
                guard let content = try transform(entity) else { return response }
                error.entity?.content = content
                return .failure(error)
            } catch let problem {
                let why = problem.cause.detail ?? problem.cause.code
                context.log?.write(
                    .pipeline,
                    "\(context.method) \(context.url): \(description) leaves the error's body: \(why)")
                return response
            }
        }
    }
}
