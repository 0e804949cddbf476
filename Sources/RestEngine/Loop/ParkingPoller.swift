import Platform

/// The object in which the engine loop waits. A transport supplies its own, so that network events and the
/// engine's work share one thread and one wait.
package protocol Poller: AnyObject, Sendable {
    /// Handles events without waiting. True if a callback ran, which may have made work for the loop. Engine
    /// loop only.
    ///
    /// - Parameter polling: True if the system must be asked for ready events, because no wait came before.
    func handle(polling: Bool) -> Bool

    /// Waits until an event arrives, ``wake()`` is called, or the time is over. Engine loop only. A negative
    /// time means forever.
    func wait(milliseconds: Int32)

    /// Ends the current or the next wait early. Any thread.
    func wake()
}

/// The wait of a loop without a network: a condition variable.
final class ParkingPoller: Poller, @unchecked Sendable {
    // Unchecked: the two handles are made for use from several threads, and `isWoken` is only accessed under
    // the mutex.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            // Setting the system's time of day must not change the length of a wait.
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

    func handle(polling: Bool) -> Bool { false }

    func wait(milliseconds: Int32) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if milliseconds < 0 {
            while !isWoken { pthread_cond_wait(condition, mutex) }
        } else {
            let deadline = MonotonicDeadline(afterMilliseconds: milliseconds)
            while !isWoken, deadline.wait(for: condition, mutex) {}
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
