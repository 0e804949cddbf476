import Gateway
import RestEngine
import RestScript

/// What `/-/` routes may do with a run.
@EngineActor
final class RunControl: HostControl {
    /// What ``reload(_:)`` gives when it went well.
    struct Loaded {
        var generation: Int
        /// How long it took.
        var seconds: Double
    }

    /// A reload that left everything as it was.
    struct NotLoaded: Error {
        var report: FailureReport
        /// That goes on.
        var generation: Int
    }

    private let load: @EngineActor () -> Result<Loaded, NotLoaded>
    private let facts: @EngineActor () -> HostFacts

    init(
        load: @escaping @EngineActor () -> Result<Loaded, NotLoaded>,
        facts: @escaping @EngineActor () -> HostFacts
    ) {
        self.load = load
        self.facts = facts
    }

    func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void) {
        completion(
            load().map { ["generation": Tree($0.generation), "seconds": Tree($0.seconds)] }
                .mapError { failure in
                    let generation = ControlProblem.Member("generation", Tree(failure.generation))
                    return ControlProblem(
                        422, "reload_failed", failure.report.diagnostic.message,
                        members: failure.report.members + [generation])
                })
    }

    var status: Tree { facts().tree }

    func explain(_ service: Service, url: URLText, method: String) throws(ControlProblem) -> Tree {
        service.explain(url.string, method: method).tree
    }
}
