import LuaRuntime
import RestEngine
import Synchronization

/// Modules that made a thread hang, until they are loaded anew. Safe on any thread: a replacement thread
/// looks here before the loop knows of the hang.
final class HungModules: Sendable {
    private let lost: LostThreads
    private let known = Mutex<Set<String>>([])

    init(_ lost: LostThreads) { self.lost = lost }

    /// The names, sorted for messages.
    var names: [String] { known.withLock { $0.sorted() } }

    func insert(_ modules: [String]) { known.withLock { $0.formUnion(modules) } }

    /// Removes a module that was loaded anew, because it may be repaired.
    func remove(_ module: String) { known.withLock { _ = $0.remove(module) } }

    /// The job's modules that are no longer run, because each try would cost another thread. Empty as long as
    /// hung threads are replaced.
    func refused(of job: OffloadedJob) -> [String] {
        guard lost.isFull else { return [] }
        return known.withLock { known in job.modules.filter(known.contains) }
    }
}

extension OffloadedJob {
    /// The names of the modules that the job runs, in order.
    var modules: [String] { offloadedSteps.compactMap { ($0 as? ModuleTransformer)?.module } }
}
