import RestEngine
import Testing

@testable import Gateway

/// A host that returns the test's results and remembers its calls.
final class FakeControl: HostControl {
    @EngineActor private(set) var explained: [String] = []
    @EngineActor private var outcomes: [Result<Tree, ControlProblem>]
    @EngineActor private var waiting: [@EngineActor (Result<Tree, ControlProblem>) -> Void] = []
    private let isSlow: Bool
    let hostLog = HostLog()
    var log: HostLog? { hostLog }
    let hostHistory = HostHistory()
    var history: HostHistory? { hostHistory }
    let failureLog = HostLog()
    var failures: HostLog? { failureLog }
    @EngineActor private(set) var operations: [GatewayOperation] = []

    @EngineActor
    func define(_ operations: [GatewayOperation]) { self.operations = operations }

    /// - Parameter isSlow: Reloads end when ``finishReload()`` is called.
    init(reloads outcomes: [Result<Tree, ControlProblem>] = [], isSlow: Bool = false) {
        self.outcomes = outcomes
        self.isSlow = isSlow
    }

    @EngineActor
    func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void) {
        waiting.append(completion)
        if !isSlow { finishReload() }
    }

    @EngineActor
    func finishReload() {
        let outcome = outcomes.isEmpty ? .success(["generation": 2]) : outcomes.removeFirst()
        guard !waiting.isEmpty else {
            Issue.record("no reload waits for its end")
            return
        }
        waiting.removeFirst()(outcome)
    }

    @EngineActor
    var isAsked: Bool { !waiting.isEmpty }

    @EngineActor
    var status: Tree { ["pid": 1] }

    @EngineActor
    func explain(
        _ service: Service, url: URLText, method: String,
        _ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void
    ) {
        guard url.path != "/v3/bad" else {
            return completion(.failure(ControlProblem(500, "script_error", "a block failed")))
        }
        explained.append("\(service.name) \(method) \(url)")
        completion(.success(["url": Tree(url.string)]))
    }
}
