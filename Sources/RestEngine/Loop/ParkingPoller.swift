import Platform

/// What the engine loop waits in. A transport supplies its own, so that network events and the engine's work
/// share one thread and one wait.
public protocol Poller: AnyObject, Sendable {
    /// Waits until something happens, ``wake()`` is called, or the time is over; handles what happened before
    /// it returns. Engine loop only. A negative time means for ever.
    func poll(milliseconds: Int32)

    /// Ends the current or the next ``poll(milliseconds:)`` early. Any thread.
    func wake()
}

/// The wait of a loop without a network: a condition variable.
final class ParkingPoller: Poller, @unchecked Sendable {
    // Unchecked: the two handles are made for use from several threads, and `isWoken` is only touched under
    // the mutex.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            // Setting the machine's time of day must not make a wait longer or shorter.
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
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
            clock_gettime(CLOCK_MONOTONIC, &deadline)
            deadline.tv_nsec += Int(milliseconds % 1000) * 1_000_000
            deadline.tv_sec += Int(milliseconds / 1000) + deadline.tv_nsec / 1_000_000_000
            deadline.tv_nsec %= 1_000_000_000
            while !isWoken, wait(until: deadline) {}
        }
        isWoken = false
    }

    /// False when the time has come.
    private func wait(until deadline: timespec) -> Bool {
        #if canImport(Darwin)
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            var left = timespec(
                tv_sec: deadline.tv_sec - now.tv_sec, tv_nsec: deadline.tv_nsec - now.tv_nsec)
            if left.tv_nsec < 0 {
                left.tv_sec -= 1
                left.tv_nsec += 1_000_000_000
            }
            return left.tv_sec >= 0 && pthread_cond_timedwait_relative_np(condition, mutex, &left) == 0
        #else
            var deadline = deadline
            return pthread_cond_timedwait(condition, mutex, &deadline) == 0
        #endif
    }

    func wake() {
        pthread_mutex_lock(mutex)
        isWoken = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
