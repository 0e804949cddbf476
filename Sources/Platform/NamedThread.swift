internal import CPlatform

/// Detached threads with a name.
package enum NamedThread {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// A script may nest 200 C calls.
    package static let scriptStackBytes = 8 << 20

    /// Starts one. False when the system has no more threads.
    ///
    /// - Parameter stackBytes: 0 for the system's own size.
    package static func start(
        name: String, stackBytes: Int = 0, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        startStatus(name, stackBytes, body) == 0
    }

    /// The same for threads without which the program can't go on.
    package static func startOrStop(
        name: String, stackBytes: Int = 0, _ body: @escaping @Sendable () -> Void
    ) {
        let status = startStatus(name, stackBytes, body)
        guard status != 0 else { return }
        let reason = unsafe String(cString: strerror(status))
        Shortage.stop("the system gives no thread for '\(name)': \(reason)")
    }

    /// The result of pthread_create: 0, or an error's number.
    private static func startStatus(
        _ name: String, _ stackBytes: Int, _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        // Retained for the thread, which takes it over; released here where none begins.
        let start = unsafe Unmanaged.passRetained(Start(body))
        let status = unsafe cplatform_start_thread(
            name, stackBytes, { unsafe Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body() },
            start.toOpaque())
        if status != 0 { unsafe start.release() }
        return status
    }

    /// Of the calling thread; no two that run have the same.
    package static var currentIdentity: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Name and identity of the calling thread, as debuggers and `top -H` show it, for messages.
    package static var currentDescription: String {
        var buffer = [CChar](repeating: 0, count: 64)
        unsafe cplatform_get_thread_name(&buffer, buffer.count)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "'\(name)' (\(currentIdentity))"
    }
}

/// Errors of the program that uses these modules, not of a script or a server: the process stops, because
/// going on would corrupt state that only one thread may touch.
package enum Misuse {
    /// Says what was touched, why that can't be allowed, where the caller is and where it should be.
    ///
    /// - Parameters:
    ///   - what: in a sentence, "a Lua state".
    ///   - owner: the thread that may, and how to get there.
    package static func wrongThread(what: String, owner: String) -> Never {
        stop(
            "wrong thread", what: "\(what) was used outside its thread",
            why: "only one thread may touch it; two would corrupt it without a sign",
            here: "thread \(NamedThread.currentDescription)", home: "thread \(owner)")
    }

    /// Writes the message to standard error and aborts.
    package static func stop(_ fault: String, what: String, why: String, here: String, home: String) -> Never
    {
        var message = """
            resthost: \(fault)
              what: \(what)
              why:  \(why)
              here: \(here)
              home: \(home)

            """
        message.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        abort()
    }
}
