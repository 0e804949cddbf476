import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waits for SIGINT or SIGTERM. The handler writes to a pipe, which works whichever thread it runs on.
struct TerminationSignal {
    private static let writeEnd = Atomic<Int32>(-1)

    private let readEnd: Int32

    /// From here on the signals no longer end the process. One of these for each process.
    init() {
        var ends: [Int32] = [-1, -1]
        let made = pipe(&ends)
        precondition(made == 0, "no descriptor is left for the signal pipe")
        readEnd = ends[0]
        Self.writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                let saved = errno
                var byte: UInt8 = 1
                _ = write(TerminationSignal.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = saved
            }
        }
    }

    /// Returns after the first signal. A second one ends the process at once.
    func wait() {
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) < 0, errno == EINTR {}
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
