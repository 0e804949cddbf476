import CPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A named thread with a large stack (a Lua script may nest 200 C calls), which knows whether it is current.
final class LoopThread: Sendable {
    static let stackBytes = 8 << 20

    let name: String
    private let identity = Atomic<UInt>(0)

    init(name: String) { self.name = name }

    /// Starts the thread; `isCurrent` works on it before `body` is called.
    func start(_ body: @escaping @Sendable () -> Void) {
        final class Start {
            let thread: LoopThread
            let body: @Sendable () -> Void
            init(_ thread: LoopThread, _ body: @escaping @Sendable () -> Void) {
                self.thread = thread
                self.body = body
            }
        }
        let status = cplatform_start_thread(
            name, Self.stackBytes,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                start.thread.identity.store(LoopThread.currentIdentity, ordering: .releasing)
                start.body()
            }, Unmanaged.passRetained(Start(self, body)).toOpaque())
        precondition(status == 0, "cannot start the thread '\(name)': error \(status)")
    }

    var isCurrent: Bool { identity.load(ordering: .acquiring) == Self.currentIdentity }

    var description: String { "'\(name)' (\(identity.load(ordering: .relaxed)))" }

    static var currentIdentity: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Name and identity of the calling thread, for messages.
    static var currentDescription: String {
        var buffer = [CChar](repeating: 0, count: 64)
        cplatform_get_thread_name(&buffer, buffer.count)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "'\(name)' (\(currentIdentity))"
    }
}
