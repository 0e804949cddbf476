import Platform
import Synchronization

/// Descriptors that are open for nothing. When there are no others they are let go, so that a few clients can
/// still be heard and told.
final class DescriptorReserve: Sendable {
    private static let size = 8
    private let held = Mutex<[CInt]>([])

    init() { _ = refill() }

    deinit { _ = release() }

    /// False when there was nothing left to let go.
    func release() -> Bool {
        held.withLock { held in
            defer { held = [] }
            for descriptor in held { close(descriptor) }
            return !held.isEmpty
        }
    }

    /// Takes back what was let go. False while the process is still short of descriptors.
    func refill() -> Bool {
        held.withLock { held in
            while held.count < Self.size {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return false }
                held.append(descriptor)
            }
            return true
        }
    }
}
