import Platform

/// Passes a value to a thread on which it must not be used, for tests of misuse.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

func startThread(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    pthread_create(
        &thread, nil,
        { argument in
            // The argument is the work that was retained above.
            #if canImport(Darwin)
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
            #else
                Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
            #endif
            return nil
        }, work.toOpaque())
}

private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
