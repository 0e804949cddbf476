internal import CCurl
internal import Platform
internal import RestEngine

/// A multi handle, and the transfers that run on it. It belongs to one thread: the engine loop's in
/// ``CurlPoller``, or that of ``TransferThread``.
final class TransferSet {
    /// The outcome of a transfer that is not in the set any more.
    struct Ended {
        let transfer: CurlTransfer
        let result: TransportResult
        /// How far it was when it failed.
        var progress: TransferProgress?
        /// The body of the response, when it still has to be joined.
        var body: LargeBody?
        /// The set's thread couldn't make room for the body; on the engine loop there may be some.
        var wantsRoom = false
    }

    let time: LoopTime
    /// Shared by its transports: what libcurl reads in a URL is the same for all.
    let urls = ParsedURLs()
    private let multi: MultiHandle
    private(set) var running: [EasyHandle] = []
    /// The transfers that ended since the set's user looked last.
    var ended: [Ended] = []
    /// Transfers were added, or are to go on, since libcurl last ran.
    var hasNews = false
    /// The same of those that were added.
    private var newTransfers = 0
    /// libcurl begins all new transfers in one go, so a pass gives it no more than these (limit L261), and
    /// the next ones give it the others.
    private static let mostNew = 32
    private var waiting: ArraySlice<EasyHandle> = []
    /// Seconds that passes took, without what they waited.
    private(set) var performed = 0.0

    /// - Parameters:
    ///   - isOfEngine: The thread is the engine loop's.
    ///   - usesEpoll: False to have libcurl wait, as where there is no epoll.
    init(isOfEngine: Bool, usesEpoll: Bool = true) {
        // Both are the process's, and safe to repeat: a write to a closed connection is an error, not a
        // signal (libcurl(3), CURLOPT_NOSIGNAL(3)).
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        signal(SIGPIPE, SIG_IGN)
        multi = MultiHandle(usesEpoll: usesEpoll)
        time = LoopTime(isOfEngine: isOfEngine)
    }

    /// Ends a wait, from any thread.
    var wakeUp: WakeUp { multi.wakeUp }

    var sockets: SocketWatch { multi.sockets }

    func limitConnections(perHost: Int?, total: Int?) {
        multi.limitConnections(perHost: perHost, total: total)
    }

    // MARK: Transfers

    /// Sends a request, unless it throws.
    func start(
        _ request: TransportRequest, for transfer: CurlTransfer, by pool: EasyHandlePool
    ) throws(TransportError) -> EasyHandle {
        // The pass may be old by now: a script may have run in it.
        time.update()
        let handle = try pool.take()
        do throws(TransportError) {
            try handle.prepare(request)
        } catch {
            pool.put(back: handle)
            throw error
        }
        let code = add(handle)
        // The handle is dropped, not pooled: it may be what is wrong.
        guard code == CURLM_OK else { throw MultiHandle.error(code) }
        handle.transfer = transfer
        handle.pool = pool
        handle.index = running.count
        running.append(handle)
        if let next = handle.deadlines.next { time.check(at: next.deadline) }
        return handle
    }

    private func add(_ handle: EasyHandle) -> CURLMcode {
        hasNews = true
        guard newTransfers < Self.mostNew else {
            handle.isWaiting = true
            waiting.append(handle)
            return CURLM_OK
        }
        newTransfers += 1
        return multi.add(handle)
    }

    /// Adds those that had to wait for their turn.
    private func addWaiting() {
        while newTransfers < Self.mostNew, let handle = waiting.popFirst() {
            // One that was given up may be back in use, and wait a second time.
            guard handle.isWaiting else { continue }
            handle.isWaiting = false
            let code = add(handle)
            if code != CURLM_OK { end(handle, .failure(MultiHandle.error(code))) }
        }
        if waiting.isEmpty { waiting = [] }
    }

    /// Lets libcurl choose another connection. It has closed the former one, on which nothing was sent.
    private func startAnew(_ handle: EasyHandle) {
        handle.hasRefusedConnection = false
        var code = multi.remove(handle)
        if code == CURLM_OK { code = add(handle) }
        if code != CURLM_OK { end(handle, .failure(MultiHandle.error(code))) }
    }

    func remove(_ handle: EasyHandle) {
        handle.isWaiting = false
        let code = multi.remove(handle)
        handle.transfer = nil
        let last = running.removeLast()
        if last !== handle {
            running[handle.index] = last
            last.index = handle.index
        }
        handle.index = -1
        let pool = handle.pool
        handle.pool = nil
        if code == CURLM_OK { pool?.put(back: handle) }
    }

    // MARK: A pass

    func perform() {
        hasNews = false
        time.beginPass()
        if !running.isEmpty {
            resume()
            addWaiting()
            let code = multi.perform()
            newTransfers = 0
            if !waiting.isEmpty { hasNews = true }
            guard code == CURLM_OK else { return replaceMulti(because: MultiHandle.error(code)) }
            while let (handle, code) = multi.nextFinished() {
                if handle.hasRefusedConnection { startAnew(handle) } else { end(handle, handle.result(code)) }
            }
        }
        if time.nextCheck <= time.now { checkDeadlines() }
        performed += ClockReading.uptime - time.now
    }

    /// Waits for the network, a limit, or ``wakeUp``. ``perform()`` then handles what has happened. A
    /// negative time means for ever.
    func wait(milliseconds: Int32) {
        time.update()
        let mayRest = time.resting.isEmpty && waiting.isEmpty
        let code = multi.wait(milliseconds: mayRest ? timeout(milliseconds) : 0)
        hasNews = true
        if code != CURLM_OK { replaceMulti(because: MultiHandle.error(code)) }
    }

    /// Those that rested since the last pass.
    private func resume() {
        guard !time.resting.isEmpty else { return }
        let resting = time.resting
        time.resting = []
        for (index, handle) in resting.enumerated() where handle.isResting {
            guard time.allowance > 0 else {
                time.resting.insert(contentsOf: resting[index...], at: 0)
                return
            }
            let code = handle.resume()
            if code != CURLE_OK { end(handle, handle.result(code)) }
        }
    }

    private func end(_ handle: EasyHandle, _ result: TransportResult) {
        guard let transfer = handle.transfer else { return }
        var ended = Ended(transfer: transfer, result: result)
        switch result {
        case .success:
            handle.hasSucceeded = true
            if handle.body.isInPieces { ended.body = LargeBody(handle.takeBody()) }
        case .failure:
            ended.progress = handle.progress
            ended.wantsRoom = handle.wantsRoom
        }
        self.ended.append(ended)
        remove(handle)
    }

    private func checkDeadlines() {
        time.beginCheck()
        var late: [(handle: EasyHandle, deadline: Double, phase: TransportError.Phase)] = []
        for handle in running {
            guard let next = handle.deadlines.next else { continue }
            if next.deadline <= time.now {
                late.append((handle, next.deadline, next.phase))
            } else {
                time.check(at: next.deadline)
            }
        }
        // After a long pass several are due; they end in the order in which they fell due.
        late.sort { $0.deadline < $1.deadline }
        for (handle, _, phase) in late { end(handle, .failure(handle.timeout(phase))) }
    }

    private func timeout(_ milliseconds: Int32) -> Int32 {
        let untilCheck = ((time.nextCheck - time.now) * 1000).rounded(.up)
        let longest = milliseconds < 0 ? 3_600_000 : milliseconds
        return untilCheck < Double(longest) ? Int32(max(0, untilCheck)) : longest
    }

    /// A multi handle that reports an error is not trusted any more: its transfers fail, and a new one
    /// serves.
    func replaceMulti(because error: TransportError) {
        let failed = running
        running = []
        for handle in failed {
            handle.index = -1
            handle.isWaiting = false
            _ = multi.remove(handle)
            guard let transfer = handle.transfer else { continue }
            handle.transfer = nil
            handle.pool = nil
            ended.append(Ended(transfer: transfer, result: .failure(error), progress: handle.progress))
        }
        multi.replace()
    }
}
