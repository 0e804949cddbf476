import Platform
import Synchronization

/// How many file descriptors this process may have open (getrlimit(2), RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// More than this is not asked for: descriptors of idle clients cost memory in the kernel, and where the
    /// hard limit is a billion, as in some containers, a program that walks over all of them would not come
    /// to an end.
    private static let most: rlim_t = 65_536

    /// The soft limit; 1,024 when it isn't known.
    public static var current: Int { limits.map { Int(clamping: $0.rlim_cur) } ?? 1024 }

    /// Raises the soft limit to the hard one, and to 65,536 at most. The soft limit is low by tradition, for
    /// programs that use select(2), which reaches 1,024 descriptors; nothing here does. Once, at the start of
    /// a program.
    public static func raise() {
        guard var limits else { return }
        var wanted = min(limits.rlim_max, most)
        #if canImport(Darwin)
            wanted = min(wanted, rlim_t(OPEN_MAX))
        #endif
        guard limits.rlim_cur < wanted else { return }
        limits.rlim_cur = wanted
        setrlimit(kind, &limits)
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(kind, &limits) == 0 ? limits : nil
    }

    #if os(Linux)
        private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var kind: Int32 { Int32(RLIMIT_NOFILE) }
    #endif
}

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
