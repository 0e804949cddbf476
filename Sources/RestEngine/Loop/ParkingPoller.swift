#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The wait of a loop without a network: a condition variable.
final class ParkingPoller: Poller, @unchecked Sendable {
    // Unchecked: the two handles are made for use from several threads, and `isWoken` is only touched under the mutex.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func poll(milliseconds: Int32) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if milliseconds < 0 {
            while !isWoken { pthread_cond_wait(condition, mutex) }
        } else {
            var deadline = timespec()
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_nsec += Int(milliseconds % 1000) * 1_000_000
            deadline.tv_sec += Int(milliseconds / 1000) + deadline.tv_nsec / 1_000_000_000
            deadline.tv_nsec %= 1_000_000_000
            while !isWoken, pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
        }
        isWoken = false
    }

    func wake() {
        pthread_mutex_lock(mutex)
        isWoken = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
