/// Turns a response into another: content, headers, message or outcome (siesta-semantics 17.1).
@EngineActor
public protocol Transformer: Sendable {
    /// For `explain`, logs and errors.
    nonisolated var description: String { get }
    /// Where it was written, `file:line`; nil where its description says all.
    nonisolated var origin: String? { get }

    /// The same for transformers that do the same, across reloads of a script. By default of the type and its fields.
    var fingerprint: UInt64 { get }

    func process(_ response: Response, _ context: PipelineContext) -> Response
}

/// What a transformer may know of the request whose response it gets.
public struct PipelineContext: Sendable {
    /// Of the response: after redirects.
    public let url: String
    /// That was sent last.
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
    public nonisolated var origin: String? { nil }

    /// Applies `transform` to the content of a success, and to the body of a failure if `errors` is set. A success
    /// that can't be parsed becomes a failure that keeps status and body (17.7, D12); the body of a failure that can't
    /// be parsed leaves it as it is, and is only logged (17.8, 17.9).
    ///
    /// - Parameter transform: Returns nil to leave the content as it is.
    func mapContent(
        of response: Response, errors: Bool, _ context: PipelineContext,
        _ transform: (Entity) throws -> Content?
    ) -> Response {
        switch response {
        case .success(var entity):
            do {
                guard let content = try transform(entity) else { return response }
                entity.content = content
                return .success(entity)
            } catch {
                return .failure(
                    RequestError(
                        thrown: error, userMessage: "Cannot parse server response", entity: entity,
                        httpStatusCode: context.status, timestamp: context.now, url: context.url,
                        method: context.method))
            }
        case .failure(var error):
            guard errors, let entity = error.entity else { return response }
            do {
                guard let content = try transform(entity) else { return response }
                error.entity?.content = content
                return .failure(error)
            } catch let problem {
                context.log?.write(
                    .pipeline,
                    "\(context.method) \(context.url): \(description) leaves the error's body: \(Self.why(problem))"
                )
                return response
            }
        }
    }

    private static func why(_ problem: any Error) -> String {
        let error = RequestError(thrown: problem, timestamp: 0)
        return error.cause.map { $0.detail ?? $0.code } ?? error.userMessage
    }
}
