import CPlatform
import RestEngine
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells when memory is short (siesta-semantics 23.5): by the kernel's pressure stall information where there is any,
/// and at SIGUSR1 everywhere.
///
/// The control group's own pressure counts before the machine's: inside a container it is the one that kills. The
/// kernel asks for a window of a multiple of two seconds from whoever is not privileged (Linux, accounting/psi.rst).
struct MemoryPressure: Sendable {
    /// Tasks stalled for 150 ms in two seconds.
    private static let threshold = "some 150000 2000000"
    private static let writeEnd = Atomic<Int32>(-1)

    private let signalEnd: Int32
    private let kernelEnd: Int32?

    /// What it listens to, for people.
    let sources: [String]

    /// Takes over SIGUSR1. One of these for each process. `files` are pressure files, of which the first that
    /// takes a trigger is used.
    init(files: [String] = PressureFile.candidates()) {
        var ends: [Int32] = [-1, -1]
        let made = pipe(&ends)
        precondition(made == 0, "no descriptor is left for the signal pipe")
        signalEnd = ends[0]
        Self.writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        signal(SIGUSR1) { _ in
            let saved = errno
            var byte: UInt8 = 1
            _ = write(MemoryPressure.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
            errno = saved
        }
        let kernel = files.lazy.compactMap { path in
            PressureFile.open(path, trigger: Self.threshold).map { (path, $0) }
        }.first
        kernelEnd = kernel?.1
        sources = ["SIGUSR1"] + (kernel.map { [$0.0] } ?? [])
    }

    /// Calls `relieve` on the engine loop each time, from a thread that lives as long as the process.
    func watch(_ relieve: @escaping @Sendable @EngineActor () -> Void) {
        BackgroundThread.start(name: "memory pressure") {
            while wait() { EngineLoop.shared.submit(relieve) }
        }
    }

    /// Returns true at the next event; false when there can't be another.
    private func wait() -> Bool {
        var watched = [pollfd(fd: signalEnd, events: Int16(POLLIN), revents: 0)]
        if let kernelEnd { watched.append(pollfd(fd: kernelEnd, events: Int16(POLLPRI), revents: 0)) }
        while true {
            guard poll(&watched, nfds_t(watched.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return false
            }
            if watched[0].revents & Int16(POLLIN) != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(signalEnd, &bytes, bytes.count)
                return true
            }
            if watched.count > 1 {
                if watched[1].revents & Int16(POLLERR) != 0 {
                    // The control group is gone: only the signal is left.
                    watched.removeLast()
                } else if watched[1].revents & Int16(POLLPRI) != 0 {
                    return true
                }
            }
        }
    }
}
