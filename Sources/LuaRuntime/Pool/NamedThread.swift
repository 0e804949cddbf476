import CLua

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Threads with a name, for which nobody waits.
enum NamedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// A script may nest 200 C calls.
    static let scriptStackBytes = 8 << 20

    /// False when the system has no more threads.
    static func start(
        name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let start = Unmanaged.passRetained(Start(name, body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        #if canImport(Darwin)
            var handle: pthread_t?
        #else
            var handle = pthread_t()
        #endif
        let status = pthread_create(
            &handle, &attributes,
            { argument in
                // The argument is the box that was retained above.
                #if canImport(Darwin)
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                #else
                    let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                #endif
                clua_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        if status != 0 { start.release() }
        return status == 0
    }
}
