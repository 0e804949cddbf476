import CPlatform

/// Threads with a name, for which nobody waits.
enum NamedThread {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// A script may nest 200 C calls.
    static let scriptStackBytes = 8 << 20

    /// False when the system has no more threads.
    static func start(
        name: String, stackBytes: Int = 0, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let start = Unmanaged.passRetained(Start(body))
        let status = cplatform_start_thread(
            name, stackBytes, { Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body() }, start.toOpaque()
        )
        if status != 0 { start.release() }
        return status == 0
    }
}
