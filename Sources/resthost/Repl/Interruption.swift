import RestEngine
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C in the repl: it ends what waits, not the program.
enum Interruption {
    private static let flag = Atomic<Bool>(false)
    private static let writeEnd = Atomic<Int32>(-1)

    /// Since the last ``clear()``.
    static var happened: Bool { flag.load(ordering: .sequentiallyConsistent) }

    static func clear() { flag.store(false, ordering: .sequentiallyConsistent) }

    /// Calls `action` on the engine loop for each SIGINT from now on.
    static func watch(_ action: @escaping @Sendable @EngineActor () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let readEnd = ends[0]
        writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        BackgroundThread.start(name: "interrupts") {
            var byte: UInt8 = 0
            while true {
                let count = read(readEnd, &byte, 1)
                if count == 1 { EngineLoop.shared.submit { action() } } else if errno != EINTR { return }
            }
        }
        signal(SIGINT) { _ in
            let saved = errno
            var byte: UInt8 = 1
            Interruption.flag.store(true, ordering: .sequentiallyConsistent)
            _ = write(Interruption.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
            errno = saved
        }
    }
}
