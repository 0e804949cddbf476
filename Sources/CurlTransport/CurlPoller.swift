internal import CCurl
internal import Platform
package import RestEngine

/// The engine loop waits in this: in the transfers that run on the loop, of which there is one set at a time.
@EngineActor
package final class CurlPoller: Poller {
    /// Installed as the loop's poller on first use.
    package static let shared: CurlPoller = {
        let poller = CurlPoller()
        EngineLoop.shared.install(poller)
        return poller
    }()

    private let transfers = TransferSet(isOfEngine: true)
    private nonisolated let wakeUp: WakeUp
    /// Transfers that ended and whose completions were not called yet.
    private var finished: [CurlTransfer] = []
    /// Transfers whose completions are called, and how many of them were.
    private var delivering: [CurlTransfer] = []
    private var delivered = 0
    /// Seconds of completions in one pass: they may run functions of scripts. The others wait for the next.
    private static let slice = 0.01
    /// How much of its time the loop works, which decides where new transfers run.
    private var load = LoopLoad()

    var time: LoopTime { transfers.time }

    init() { wakeUp = transfers.wakeUp }

    // MARK: Transfers

    func limitConnections(perHost: Int?, total: Int?) {
        transfers.limitConnections(perHost: perHost, total: total)
    }

    /// Whether the next transfer that may leave the loop does.
    func nextLeaves() -> Bool { load.nextLeaves() }

    func makePool(_ options: TransportOptions) -> EasyHandlePool {
        EasyHandlePool(options: options, of: transfers)
    }

    func start(_ request: TransportRequest, for transfer: CurlTransfer, by pool: EasyHandlePool) {
        do throws(TransportError) {
            transfer.attach(try transfers.start(request, for: transfer, by: pool))
        } catch {
            fail(transfer, with: error)
        }
    }

    /// There are bytes for the receiver of a transfer, which gets them in the next pass.
    func hasArrived(_ transfer: CurlTransfer) {
        time.arrived.append(transfer)
        transfers.hasNews = true
    }

    /// A transfer is to go on in the next pass.
    func hasWork() { transfers.hasNews = true }

    func abort(_ transfer: CurlTransfer) {
        guard let handle = transfer.handle else { return }
        transfer.detach(nil, at: handle.progress)
        transfers.remove(handle)
    }

    /// For a transfer that has no handle. Its completion is called in the next pass, so never inside a call
    /// of its caller.
    func fail(_ transfer: CurlTransfer, with error: TransportError) {
        transfer.detach(.failure(error), at: nil)
        finished.append(transfer)
    }

    // MARK: The pass

    package nonisolated func handle(polling: Bool) -> Bool { onLoop { pass(polling: polling) } }

    package nonisolated func wait(milliseconds: Int32) {
        onLoop { transfers.wait(milliseconds: milliseconds) }
    }

    private nonisolated func onLoop<Result>(_ body: @EngineActor () -> Result) -> Result {
        // The loop calls its poller, on its own thread.
        EngineActor.assumeIsolated(body)
    }

    package nonisolated func wake() { wakeUp() }

    private func pass(polling: Bool) -> Bool {
        if transfers.hasNews || polling {
            transfers.perform()
            takeEnded()
        }
        load.note(at: time.now) { .current(at: $0, performing: transfers.performed) }
        return deliver()
    }

    /// Takes all before any completion is called: by then their handles may be others'.
    private func takeEnded() {
        guard !transfers.ended.isEmpty else { return }
        for ended in transfers.ended {
            ended.transfer.detach(ended.result, at: ended.progress)
            if let body = ended.body {
                ended.transfer.complete(joining: body)
            } else {
                finished.append(ended.transfer)
            }
        }
        transfers.ended.removeAll(keepingCapacity: true)
    }

    /// True if any completion or receiver was called.
    private func deliver() -> Bool {
        let arrived = time.arrived
        time.arrived = []
        for transfer in arrived { transfer.deliverBody() }
        if delivered == delivering.count {
            delivering.removeAll(keepingCapacity: true)
            delivered = 0
            // Transfers that fail meanwhile wait for the next pass.
            swap(&finished, &delivering)
        }
        guard !delivering.isEmpty else { return !arrived.isEmpty }
        let end = ClockReading.uptime + Self.slice
        while delivered < delivering.count {
            delivered += 1
            delivering[delivered - 1].complete()
            if ClockReading.uptime > end { return true }
        }
        delivering.removeAll(keepingCapacity: true)
        delivered = 0
        return true
    }

    /// See ``TransferSet/replaceMulti(because:)``.
    func replaceMulti(because error: TransportError) {
        transfers.replaceMulti(because: error)
        takeEnded()
    }
}
