import Platform
public import Testing

/// A place where threads stop. A test waits for each arrival, and then lets one thread go on.
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

    /// Arrives, and goes on when the test lets one thread through.
    public func pass(at location: SourceLocation = #_sourceLocation) {
        change(\.arrivals)
        take(\.permits, "the test to let a thread go on", location)
    }

    /// Each arrival counts for one call.
    public func waitForArrival(at location: SourceLocation = #_sourceLocation) {
        take(\.arrivals, "a thread to arrive", location)
    }

    /// Lets one thread through.
    public func open() { change(\.permits) }

    private func change(_ count: ReferenceWritableKeyPath<Checkpoint, Int>) {
        pthread_mutex_lock(mutex)
        self[keyPath: count] += 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    private func take(
        _ count: ReferenceWritableKeyPath<Checkpoint, Int>, _ what: String, _ location: SourceLocation
    ) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += TestTimeout.limit
        pthread_mutex_lock(mutex)
        var status: Int32 = 0
        while self[keyPath: count] == 0, status != ETIMEDOUT {
            status = pthread_cond_timedwait(condition, mutex, &deadline)
        }
        let isInVain = self[keyPath: count] == 0
        if !isInVain { self[keyPath: count] -= 1 }
        pthread_mutex_unlock(mutex)
        if isInVain { TestTimeout.end(what, at: location) }
    }
}
