#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A door that is opened once: threads wait at it with ``wait()``, tasks with ``opened()``.
// Unchecked: the handles are made for several threads; the rest is only touched under the mutex.
public final class Gate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

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

    public func open() {
        pthread_mutex_lock(mutex)
        isOpen = true
        let waiting = waiting
        self.waiting = []
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
        for continuation in waiting { continuation.resume() }
    }

    /// Blocks the calling thread; not for tasks.
    public func wait() {
        pthread_mutex_lock(mutex)
        while !isOpen { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    public func opened() async {
        await withCheckedContinuation { continuation in
            pthread_mutex_lock(mutex)
            if isOpen {
                pthread_mutex_unlock(mutex)
                continuation.resume()
            } else {
                waiting.append(continuation)
                pthread_mutex_unlock(mutex)
            }
        }
    }
}
