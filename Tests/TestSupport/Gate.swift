import Platform
public import Testing

/// A gate that is opened once. Threads wait at it with ``wait(for:at:)``, tasks with ``opened(_:at:)``. If it
/// stays shut, it fails the test after a while (``TestTimeout``) and lets all of them through.
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
    public func wait(for what: String = "a gate", at location: SourceLocation = #_sourceLocation) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += TestTimeout.limit
        pthread_mutex_lock(mutex)
        var status: Int32 = 0
        while !isOpen, status != ETIMEDOUT { status = pthread_cond_timedwait(condition, mutex, &deadline) }
        let isInVain = !isOpen
        pthread_mutex_unlock(mutex)
        guard isInVain else { return }
        TestTimeout.end(what, at: location)
        open()
    }

    public func opened(_ what: String = "a gate", at location: SourceLocation = #_sourceLocation) async {
        let timeout = TestTimeout.watch(what, at: location) { [self] in open() }
        defer { timeout.cancel() }
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
