import Platform
import Synchronization

/// A named thread with a large stack, for scripts, which knows whether it is current.
final class LoopThread: Sendable {
    let name: String
    private let identity = Atomic<UInt>(0)

    init(name: String) { self.name = name }

    /// Starts the thread; `isCurrent` works on it before `body` is called.
    func start(_ body: @escaping @Sendable () -> Void) {
        NamedThread.startOrStop(name: name, stackBytes: NamedThread.scriptStackBytes) { [self] in
            identity.store(NamedThread.currentIdentity, ordering: .releasing)
            body()
        }
    }

    var isCurrent: Bool { identity.load(ordering: .acquiring) == NamedThread.currentIdentity }

    var description: String { "'\(name)' (\(identity.load(ordering: .relaxed)))" }
}
