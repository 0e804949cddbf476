#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A detached thread for one closure.
public enum PeerThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    public static func start(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 256 << 10)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = pthread_create(
            &thread, &attributes,
            { body in
                #if canImport(Darwin)
                    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                #else
                    // pthread hands over what it was given, which is not nil.
                    Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
                #endif
                return nil
            }, body)
        pthread_attr_destroy(&attributes)
        precondition(status == 0, "cannot start a thread of the loopback peer: error \(status)")
    }
}
