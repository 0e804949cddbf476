import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A named thread for work that only waits.
enum BackgroundThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name, body)).toOpaque()
        #if canImport(Darwin)
            var handle: pthread_t?
        #else
            var handle = pthread_t()
        #endif
        let status = pthread_create(
            &handle, nil,
            { argument in
                #if canImport(Darwin)
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                #else
                    let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                #endif
                cplatform_set_thread_name(start.name)
                start.body()
                return nil
            }, start)
        precondition(status == 0, "cannot start the thread '\(name)': error \(status)")
        #if canImport(Darwin)
            if let handle { pthread_detach(handle) }
        #else
            pthread_detach(handle)
        #endif
    }
}
