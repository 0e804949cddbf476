import Platform
import Synchronization

/// Descriptors that are kept open without use. They are closed when no others are left, so that a few clients
/// can still be accepted and answered.
final class DescriptorReserve: Sendable {
    private static let size = 8
    private let held = Mutex<[CInt]>([])

    init() { _ = refill() }

    deinit { _ = release() }

    /// Closes the reserved descriptors. False if there are none.
    func release() -> Bool {
        held.withLock { held in
            defer { held = [] }
            for descriptor in held { close(descriptor) }
            return !held.isEmpty
        }
    }

    /// Opens the reserve again. False while the process is still short of descriptors.
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
