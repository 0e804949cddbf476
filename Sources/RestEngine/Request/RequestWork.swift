/// What a request does between start and outcome: the part in which network, canned and custom requests differ.
@EngineActor
protocol RequestWork: AnyObject {
    /// Begins; the outcome goes to ``Request/complete(_:)``. Called once at most.
    func start(_ request: Request)

    /// The request was cancelled while it ran.
    func cancel()

    /// The same again, from the beginning (siesta-semantics 9).
    func repeated() -> any RequestWork

    /// 0…1, while it runs.
    var fraction: Double { get }

    /// For logs: method and URL, or what it is.
    var description: String { get }
}
