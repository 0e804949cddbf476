import Platform
import RestEngine
import Synchronization

/// Ctrl-C in the repl ends the waiting input, not the program.
enum Interruption {
    private static let flag = Atomic<Bool>(false)
    private static let loopEnd = Atomic<Int32>(-1)
    private static let promptEnd = Atomic<Int32>(-1)
    private static let readEnd = Atomic<Int32>(-1)

    /// True when Ctrl-C was pressed since the last ``clear()``.
    static var happened: Bool { flag.load(ordering: .sequentiallyConsistent) }

    /// A descriptor that is readable while ``happened`` is true. A loop that waits for input polls it, too,
    /// so that no interruption is missed. It is negative while interruptions are not watched.
    static var descriptor: Int32 { readEnd.load(ordering: .sequentiallyConsistent) }

    static func clear() {
        flag.store(false, ordering: .sequentiallyConsistent)
        var bytes: UInt64 = 0
        while read(descriptor, &bytes, 8) > 0 {}
    }

    /// Calls `action` on the engine loop for each SIGINT from now on.
    static func watch(_ action: @escaping @Sendable @EngineActor () -> Void) {
        guard let (loopRead, loopWrite) = makePipe(), let (promptRead, promptWrite) = makePipe() else {
            return
        }
        for end in [promptRead, promptWrite, loopWrite] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        loopEnd.store(loopWrite, ordering: .sequentiallyConsistent)
        promptEnd.store(promptWrite, ordering: .sequentiallyConsistent)
        readEnd.store(promptRead, ordering: .sequentiallyConsistent)
        NamedThread.startOrStop(name: "interrupts") {
            var byte: UInt8 = 0
            while true {
                let count = read(loopRead, &byte, 1)
                if count == 1 { EngineLoop.shared.submit { action() } } else if errno != EINTR { return }
            }
        }
        signal(SIGINT) { _ in
            let saved = errno
            var byte: UInt8 = 1
            Interruption.flag.store(true, ordering: .sequentiallyConsistent)
            _ = write(Interruption.promptEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
            _ = write(Interruption.loopEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
            errno = saved
        }
    }

    private static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
