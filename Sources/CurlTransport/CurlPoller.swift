internal import CCurl
internal import Platform
package import RestEngine

/// What the engine loop waits in: libcurl's multi handle, of which there is one at a time, and the transfers
/// that run on it.
@EngineActor
package final class CurlPoller: Poller {
    /// Installed as the loop's poller on first use.
    package static let shared: CurlPoller = {
        let poller = CurlPoller()
        EngineLoop.shared.install(poller)
        return poller
    }()

    let time = LoopTime()
    private nonisolated let multi: MultiHandle
    private var running: [EasyHandle] = []
    /// What ended and was not told yet.
    private var finished: [CurlTransfer] = []
    private var delivering: [CurlTransfer] = []
    /// Transfers were added since libcurl last ran.
    private var hasNews = false

    init() {
        // Both are the process's, and safe to repeat: a write to a closed connection is an error, not a
        // signal (libcurl(3), CURLOPT_NOSIGNAL(3)).
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        signal(SIGPIPE, SIG_IGN)
        multi = MultiHandle()
    }

    // MARK: Transfers

    func limitConnections(perHost: Int?, total: Int?) {
        multi.limitConnections(perHost: perHost, total: total)
    }

    func start(_ transfer: CurlTransfer, on handle: EasyHandle, of pool: EasyHandlePool) {
        let code = multi.add(handle)
        guard code == CURLM_OK else {
            // The handle is dropped, not pooled: it may be what is wrong.
            return fail(transfer, with: MultiHandle.error(code))
        }
        handle.transfer = transfer
        transfer.attach(handle, of: pool)
        handle.index = running.count
        running.append(handle)
        if let next = handle.deadlines.next { time.check(at: next.deadline) }
        hasNews = true
    }

    /// There is something for the receiver of a transfer, which is told in the next pass.
    func hasArrived(_ transfer: CurlTransfer) {
        time.arrived.append(transfer)
        hasNews = true
    }

    /// A transfer is to go on in the next pass.
    func hasWork() { hasNews = true }

    func abort(_ transfer: CurlTransfer) {
        guard let handle = transfer.handle else { return }
        remove(handle, from: transfer, with: nil)
    }

    /// For a transfer that has no handle. Told in the next pass, so never inside a call of its caller.
    func fail(_ transfer: CurlTransfer, with error: TransportError) {
        transfer.detach(.failure(error))
        finished.append(transfer)
    }

    private func remove(_ handle: EasyHandle, from transfer: CurlTransfer, with result: TransportResult?) {
        let pool = transfer.pool
        let code = multi.remove(handle)
        transfer.detach(result)
        handle.transfer = nil
        let last = running.removeLast()
        if last !== handle {
            running[handle.index] = last
            last.index = handle.index
        }
        handle.index = -1
        if code == CURLM_OK { pool?.put(back: handle) }
    }

    // MARK: The pass

    package nonisolated func poll(milliseconds: Int32) {
        // The loop calls its poller, on its own thread.
        EngineActor.assumeIsolated { pass(milliseconds) }
    }

    package nonisolated func wake() { multi.wake() }

    private func pass(_ milliseconds: Int32) {
        if hasNews || milliseconds == 0 { perform() }
        // Whoever was told may have made work for the loop: no wait before it was looked at.
        if deliver() { return }
        if milliseconds != 0 {
            time.update()
            let code = multi.wait(milliseconds: time.resting.isEmpty ? timeout(milliseconds) : 0)
            if code == CURLM_OK { perform() } else { replaceMulti(because: MultiHandle.error(code)) }
            _ = deliver()
        }
    }

    private func perform() {
        hasNews = false
        time.beginPass()
        if !running.isEmpty {
            resume()
            let code = multi.perform()
            guard code == CURLM_OK else { return replaceMulti(because: MultiHandle.error(code)) }
            while let (handle, code) = multi.nextFinished() { end(handle, handle.result(code)) }
        }
        if time.nextCheck <= time.now { checkDeadlines() }
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
        if case .success = result, handle.body.isInPieces {
            let body = LargeBody(handle.takeBody())
            remove(handle, from: transfer, with: result)
            return transfer.complete(joining: body)
        }
        remove(handle, from: transfer, with: result)
        finished.append(transfer)
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
        // After a long pass several are due; they are told in the order in which they fell due.
        late.sort { $0.deadline < $1.deadline }
        for (handle, _, phase) in late { end(handle, .failure(handle.timeout(phase))) }
    }

    private func timeout(_ milliseconds: Int32) -> Int32 {
        let untilCheck = ((time.nextCheck - time.now) * 1000).rounded(.up)
        let longest = milliseconds < 0 ? 3_600_000 : milliseconds
        return untilCheck < Double(longest) ? Int32(max(0, untilCheck)) : longest
    }

    /// True if anybody was told.
    private func deliver() -> Bool {
        let arrived = time.arrived
        time.arrived = []
        for transfer in arrived { transfer.deliverBody() }
        guard !finished.isEmpty else { return !arrived.isEmpty }
        swap(&finished, &delivering)
        for transfer in delivering { transfer.complete() }
        delivering.removeAll(keepingCapacity: true)
        return true
    }

    /// A multi handle that reports an error is not trusted any more: its transfers fail, and a new one
    /// serves.
    func replaceMulti(because error: TransportError) {
        let failed = running
        running = []
        for handle in failed {
            handle.index = -1
            _ = multi.remove(handle)
            guard let transfer = handle.transfer else { continue }
            handle.transfer = nil
            fail(transfer, with: error)
        }
        multi.replace()
    }
}
