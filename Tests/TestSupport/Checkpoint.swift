#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where threads stop until a test, which waits for each to arrive, lets one go on.
// Unchecked: the handles are made for several threads; the counts are only touched under the mutex.
public final class Checkpoint: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var arrivals = 0
    private var permits = 0

    public init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Arrives, and goes on when one is let through.
    public func pass() {
        change(\.arrivals)
        take(\.permits)
    }

    /// Each arrival is for one call.
    public func waitForArrival() { take(\.arrivals) }

    /// Lets one through.
    public func open() { change(\.permits) }

    private func change(_ count: ReferenceWritableKeyPath<Checkpoint, Int>) {
        pthread_mutex_lock(mutex)
        self[keyPath: count] += 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    private func take(_ count: ReferenceWritableKeyPath<Checkpoint, Int>) {
        pthread_mutex_lock(mutex)
        while self[keyPath: count] == 0 { pthread_cond_wait(condition, mutex) }
        self[keyPath: count] -= 1
        pthread_mutex_unlock(mutex)
    }
}
