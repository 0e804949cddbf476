import CPlatform

/// A detached thread for one closure.
public enum PeerThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    public static func start(_ run: @escaping @Sendable () -> Void) {
        let status = cplatform_start_thread(
            "test peer", 256 << 10, { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() },
            Unmanaged.passRetained(Body(run)).toOpaque())
        precondition(status == 0, "cannot start a thread of the loopback peer: error \(status)")
    }
}
