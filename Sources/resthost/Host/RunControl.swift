import Gateway
import RestEngine
import RestScript

/// The actions of `/-/` routes on a run.
@EngineActor
final class RunControl: HostControl {
    /// The result of a successful ``reload(_:)``.
    struct Loaded {
        var generation: Int
        /// The duration of the load in seconds.
        var seconds: Double
    }

    /// A failed reload, which changed nothing.
    struct NotLoaded: Error {
        var report: FailureReport
        /// The generation that continues to run.
        var generation: Int
    }

    typealias Load =
        @EngineActor (_ completion: @escaping @EngineActor (Result<Loaded, NotLoaded>) -> Void) -> Void

    private let load: Load
    private let facts: @EngineActor () -> HostFacts
    private let process = ProcessMetrics()
    private let files: @EngineActor () -> Set<String>
    private let defined: @EngineActor () -> [ScriptOperation]
    let log: HostLog?
    let history: HostHistory?
    let failures: HostLog?

    init(
        load: @escaping Load,
        facts: @escaping @EngineActor () -> HostFacts,
        files: @escaping @EngineActor () -> Set<String> = { [] },
        operations: @escaping @EngineActor () -> [ScriptOperation] = { [] }, log: HostLog? = nil,
        history: HostHistory? = nil, failures: HostLog? = nil
    ) {
        (self.history, self.failures) = (history, failures)
        defined = operations
        self.files = files
        self.log = log
        self.load = load
        self.facts = facts
    }

    var operations: [GatewayOperation] {
        defined().map {
            GatewayOperation(service: $0.service, method: $0.method, path: $0.path, origin: $0.origin)
        }
    }

    var metrics: [MetricFamily] { facts().metrics + process.families }

    func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void) {
        load { result in
            completion(
                result.map { ["generation": Tree($0.generation), "seconds": Tree($0.seconds)] }
                    .mapError { failure in
                        let generation = ControlProblem.Member("generation", Tree(failure.generation))
                        return ControlProblem(
                            422, "reload_failed", failure.report.diagnostic.message,
                            members: failure.report.members + [generation])
                    })
        }
    }

    var status: Tree { facts().tree }

    /// The lines around a line. Only the script's own files are shown.
    func source(_ file: String, line: Int) throws(ControlProblem) -> Tree {
        guard files().contains(file), let lines = SourceLines.read(file), lines.indices.contains(line - 1)
        else { throw ControlProblem(404, "no_source", "there is no such line in the files of the script") }
        let shown = max(1, line - 4)...min(lines.count, line + 4)
        return [
            "file": Tree(file),
            "lines": Tree(
                shown.map { Tree(pairs: [("line", Tree($0)), ("text", Tree(String(lines[$0 - 1])))]) }),
        ]
    }

    func explain(
        _ service: Service, url: URLText, method: String,
        _ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void
    ) {
        service.explain(url, method: Method(method)) { completion(.success($0.tree)) }
    }
}
