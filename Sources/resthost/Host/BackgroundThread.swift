import CPlatform

/// A named thread for work that only waits.
enum BackgroundThread {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body)).toOpaque()
        let status = cplatform_start_thread(
            name, 0, { Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body() }, start)
        precondition(status == 0, "cannot start the thread '\(name)': error \(status)")
    }
}
