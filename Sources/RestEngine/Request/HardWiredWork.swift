/// The work of a request whose outcome was known from the start: none.
@EngineActor
final class HardWiredWork: RequestWork {
    func start(_ request: Request) {}
    func cancel(isRunning: Bool) {}
    func repeated() -> any RequestWork { self }
    var fraction: Double { 1 }
    var description: String { "hard-wired request" }
}
