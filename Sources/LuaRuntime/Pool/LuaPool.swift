import Dispatch
import Platform
import Synchronization

/// Threads that take jobs from one line, each with a Lua state of its own.
///
/// Threads and states come into being when there is work for them. A state that is spoiled is closed after
/// its job. A job that hangs is given up: its answer is a failure. So is its thread, and a fresh one takes
/// over, as long as ``LostThreads`` allows; then the thread keeps its place until it comes back.
public final class LuaPool<Worker: LuaPoolWorker>: Sendable {
    public typealias JobID = UInt64
    /// Makes a worker, on its thread. The closure that it gets is for its state's ``LuaOptions/onHang``.
    public typealias Maker = @Sendable (_ onHang: @escaping @Sendable (LuaHang) -> Void) -> Worker
    /// Gets the answer to each job that was not cancelled, on any thread.
    public typealias Listener = @Sendable (JobID, Result<Worker.Answer, LuaHang>) -> Void

    private struct PoolThread {
        /// The job that it is doing.
        var job: (id: JobID, job: Worker.Job)?
        /// Its job was answered for it, and it hangs.
        var isStuck = false
    }

    private struct Content {
        var jobs: [JobID: Worker.Job] = [:]
        /// Jobs in their order; those that were cancelled are still in it.
        var line: ArraySlice<JobID> = []
        var last: JobID = 0
        /// Those that were not given up, by their number.
        var threads: [UInt64: PoolThread] = [:]
        var lastThread: UInt64 = 0
        var isClosed = false
        var onEnd: (@Sendable () -> Void)?
        var hostObjectsLeft = 0

        /// No thread is left but such as hang.
        var isOver: Bool { threads.values.allSatisfy(\.isStuck) }
    }

    private let name: String
    private let maxThreads: Int
    private let limit: Int
    private let lost: LostThreads
    private let idleAfter: Double
    private let make: Maker
    private let listener: Listener
    private let onLoss: @Sendable (Worker.Job) -> Void
    private let content = Mutex(Content())
    /// Counts the jobs in line, cancelled ones too.
    private let jobsInLine = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: of the threads, as debuggers and `top -H` show them.
    ///   - threads: so many at the most.
    ///   - limit: so many jobs may wait.
    ///   - idleAfter: seconds without a job after which a worker tidies up.
    ///   - onLoss: gets a job that hangs, on any thread, before another is begun; it doesn't call the pool.
    ///   - listener: Gets the results of jobs.
    ///   - make: Makes a worker, on its thread.
    ///   - lost: Counts the threads that hang.
    public init(
        name: String, threads: Int, limit: Int, lost: LostThreads = .shared, idleAfter: Double = 1,
        make: @escaping Maker,
        onLoss: @escaping @Sendable (Worker.Job) -> Void = { _ in }, listener: @escaping Listener
    ) {
        self.onLoss = onLoss
        self.lost = lost
        self.idleAfter = idleAfter
        self.name = name
        maxThreads = max(1, threads)
        self.limit = limit
        self.make = make
        self.listener = listener
    }

    // MARK: Any thread

    /// Nil when too many jobs wait, or the pool is closed.
    public func submit(_ job: Worker.Job) -> JobID? {
        content.withLock { content in
            guard !content.isClosed, content.jobs.count < limit else { return nil }
            content.last += 1
            content.jobs[content.last] = job
            content.line.append(content.last)
            guard staff(&content) else {
                content.jobs[content.last] = nil
                content.line.removeLast()
                return nil
            }
            jobsInLine.signal()
            return content.last
        }
    }

    /// True when the job had not begun: it never will.
    public func cancel(_ id: JobID) -> Bool {
        content.withLock { $0.jobs.removeValue(forKey: id) != nil }
    }

    /// Every thread that may be hangs: what is submitted waits until one comes back.
    public var isStuck: Bool {
        content.withLock { $0.threads.count >= maxThreads && $0.threads.values.allSatisfy(\.isStuck) }
    }

    /// How many jobs wait for a thread.
    public var waitingCount: Int { content.withLock { $0.jobs.count } }

    /// Forgets what waits; threads end when they have done what they are at, which is still answered.
    public func close() {
        let (count, onEnd) = content.withLock { content in
            content.isClosed = true
            content.jobs = [:]
            content.line = []
            return (content.threads.count, content.isOver ? content.onEnd.take() : nil)
        }
        for _ in 0..<count { jobsInLine.signal() }
        onEnd?()
    }

    /// Calls `action`, on any thread, when the pool is closed and its threads have ended; those that were
    /// given up count as ended.
    public func whenEnded(_ action: @escaping @Sendable () -> Void) {
        let isOver = content.withLock { content in
            if content.isClosed, content.isOver { return true }
            content.onEnd = action
            return false
        }
        if isOver { action() }
    }

    /// Swift objects that the states which were closed never let go of: a fault.
    public var hostObjectsLeft: Int { content.withLock { $0.hostObjectsLeft } }

    // MARK: Threads

    /// Starts a thread if there are more jobs than threads for them; false when there is none at all.
    private func staff(_ content: inout Content) -> Bool {
        let free = content.threads.values.count { $0.job == nil }
        guard content.jobs.count > free, content.threads.count < maxThreads else { return true }
        content.lastThread += 1
        let thread = content.lastThread
        if NamedThread.start(
            name: name, stackBytes: NamedThread.scriptStackBytes, { [self] in work(thread) })
        {
            content.threads[thread] = PoolThread()
        }
        return !content.threads.isEmpty
    }

    private func work(_ thread: UInt64) {
        var worker: Worker?
        while let (id, job) = take(thread, worker) {
            let current = worker ?? make { [weak self] in self?.giveUp(thread, $0) }
            worker = current
            let answer = current.perform(job)
            let end = finish(thread)
            if end == .done { listener(id, .success(answer)) }
            if end != .done || current.isSpoiled {
                close(current)
                worker = nil
            }
            if end == .lost { return lost.remove() }
        }
        if let worker { close(worker) }
        leave(thread)
    }

    /// Waits for a job; nil when the pool is closed.
    private func take(_ thread: UInt64, _ worker: Worker?) -> (JobID, Worker.Job)? {
        while true {
            waitForJob(worker)
            let (found, isClosed) = content.withLock { content in
                guard let id = content.line.popFirst(), let job = content.jobs.removeValue(forKey: id)
                else { return ((JobID, Worker.Job)?.none, content.isClosed) }
                content.threads[thread]?.job = (id, job)
                return ((id, job), false)
            }
            if let found { return found }
            if isClosed { return nil }
        }
    }

    /// Until there may be one. When none comes for a while, the worker tidies up.
    private func waitForJob(_ worker: Worker?) {
        guard let worker else { return jobsInLine.wait() }
        if jobsInLine.wait(timeout: .now() + idleAfter) == .success { return }
        while !worker.tidy() {
            if jobsInLine.wait(timeout: .now()) == .success { return }
        }
        jobsInLine.wait()
    }

    /// The end of a thread's work.
    private enum End { case done, wasStuck, lost }

    private func finish(_ thread: UInt64) -> End {
        content.withLock { content in
            guard let known = content.threads[thread] else { return .lost }
            content.threads[thread] = PoolThread()
            return known.isStuck ? .wasStuck : .done
        }
    }

    private func leave(_ thread: UInt64) {
        let onEnd = content.withLock { content in
            content.threads[thread] = nil
            return content.isOver ? content.onEnd.take() : nil
        }
        onEnd?()
    }

    private func close(_ worker: Worker) {
        let report = worker.close()
        content.withLock { $0.hostObjectsLeft += report.hostObjects }
    }

    /// On the watchdog's thread.
    private func giveUp(_ thread: UInt64, _ hang: LuaHang) {
        guard !hang.isOver else { return }
        let (id, onEnd) = content.withLock { content in
            // A run that has ended meanwhile takes this lock next, or has made room for another job.
            guard hang.isStillOn, let known = content.threads[thread], let (id, job) = known.job,
                !known.isStuck
            else {
                return (JobID?.none, (@Sendable () -> Void)?.none)
            }
            let isReplaced = lost.add()
            onLoss(job)
            guard isReplaced else {
                content.threads[thread]?.isStuck = true
                return (id, content.isClosed && content.isOver ? content.onEnd.take() : nil)
            }
            content.threads[thread] = nil
            if !content.isClosed { _ = staff(&content) }
            return (id, content.isClosed && content.isOver ? content.onEnd.take() : nil)
        }
        if let id { listener(id, .failure(hang)) }
        onEnd?()
    }
}

/// One of a pool: a Lua state and what does jobs with it. It is made, used and closed on one thread.
public protocol LuaPoolWorker: SendableMetatype {
    associatedtype Job: Sendable
    associatedtype Answer: Sendable

    func perform(_ job: Job) -> Answer

    /// Does a small part, a millisecond at the most, of what is better done while no job waits; true when
    /// nothing is left.
    func tidy() -> Bool

    /// Its state failed so badly that a fresh one shall do the next job.
    var isSpoiled: Bool { get }

    /// Frees the state.
    func close() -> LeakReport
}

extension LuaPoolWorker {
    public func tidy() -> Bool { true }
}

/// Why a job of a pool has no answer.
extension LuaHang: Error {}

/// Threads that hang in a call which nothing can end, and for which others were started. Each keeps its
/// stack, its Lua state and often a processor, so there is a limit for all pools together.
public final class LostThreads: Sendable {
    public static let shared = LostThreads(limit: 4)

    public let limit: Int
    private let number = Mutex(0)

    public init(limit: Int) { self.limit = limit }

    /// Those that hang now.
    public var count: Int { number.withLock { $0 } }

    /// No other thread takes the place of one that hangs.
    public var isFull: Bool { count >= limit }

    /// False when there are too many already.
    func add() -> Bool {
        number.withLock { number in
            guard number < limit else { return false }
            number += 1
            return true
        }
    }

    /// One has come back, and ends.
    func remove() { number.withLock { $0 -= 1 } }
}
