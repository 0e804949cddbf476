import LuaRuntime
import RestEngine
import Synchronization

/// Modules of which a thread hung, until they are loaded anew. Safe on any thread: a thread that takes the
/// place of one that hangs looks here before the loop has heard of it.
final class HungModules: Sendable {
    private let lost: LostThreads
    private let known = Mutex<Set<String>>([])

    init(_ lost: LostThreads) { self.lost = lost }

    /// For messages, so they are sorted.
    var names: [String] { known.withLock { $0.sorted() } }

    func insert(_ modules: [String]) { known.withLock { $0.formUnion(modules) } }

    /// It is loaded anew, and may be mended.
    func remove(_ module: String) { known.withLock { _ = $0.remove(module) } }

    /// Those of the job's modules that are not run any more: each try would cost a thread for good, or the
    /// wait for one. None as long as threads that hang are replaced.
    func refused(of job: OffloadedJob) -> [String] {
        guard lost.isFull else { return [] }
        return known.withLock { known in job.modules.filter(known.contains) }
    }
}

extension OffloadedJob {
    /// Names of the modules that it goes to, in their order.
    var modules: [String] { offloadedSteps.compactMap { ($0 as? ModuleTransformer)?.module } }
}
