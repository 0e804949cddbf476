/// The requests that may begin.
enum EngineAdmission {
    case open
    /// Only parts of requests in flight: the repeat after a refresh, the refresh itself, the next request of
    /// a chain, the requests of a function.
    case draining
    case closed
}

/// The requests in flight of an engine.
@EngineActor
final class RequestRoll {
    private struct Entry {
        let number: UInt64
        weak var request: Request?
    }
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var last: UInt64 = 0

    func add(_ request: Request) {
        last += 1
        entries[ObjectIdentifier(request)] = Entry(number: last, request: request)
    }

    func remove(_ request: Request) { entries[ObjectIdentifier(request)] = nil }

    /// Chains come before the requests that they wait for, and would otherwise go on after these.
    func cancelAll() {
        for entry in entries.values.sorted(by: { $0.number < $1.number }) { entry.request?.cancel() }
    }
}

extension Engine {
    /// The code of the error of requests that begin too late.
    package nonisolated static let shutdownCode = "shutting_down"

    /// Prepares ``shutDown(within:)``: requests that begin from now on can be cancelled by it.
    package func listRequests() {
        if roll == nil { roll = RequestRoll() }
    }

    /// Whether ``shutDown(within:)`` has begun.
    package var isShutDown: Bool { admission != .open }

    /// The outcome of a request that begins now; nil if it is admitted.
    var refusal: ResponseInfo? {
        switch admission {
        case .open: return nil
        case .draining where WorkScope.current.isWithinRequest: return nil
        case .draining, .closed: break
        }
        return ResponseInfo(
            .failure(
                RequestError(
                    cause: .custom(
                        type: Self.shutdownCode,
                        fields: ["message": "The engine shuts down and takes no new requests"]),
                    timestamp: scheduler.now)))
    }

    /// Refuses new requests for good, ends streams of events, and waits for the requests in flight. Those
    /// that take longer than `grace`, or than the task that waits, are cancelled. Returns when no work is
    /// left, on other threads either.
    package func shutDown(within grace: Duration) async {
        if admission == .open { admission = .draining }
        for feed in feeds.all { feed.giveUp() }
        let timer = scheduler.after(grace) { [weak self] in self?.cancelRequests() }
        await withTaskCancellationHandler {
            await requestsHaveEnded()
        } onCancel: {
            EngineLoop.shared.submit { self.cancelRequests() }
        }
        timer.cancel()
        admission = .closed
        await offloadedWorkIsDone()
    }

    /// The hooks of a cancelled request run one tick later, and then it is no longer in flight. The wait ends
    /// after that tick in any case, because requests from before the list can't be cancelled.
    private func cancelRequests() {
        admission = .closed
        roll?.cancelAll()
        scheduler.nextTick { [weak self] in
            self?.scheduler.nextTick { self?.endQuietWait() }
        }
    }
}

extension Request {
    /// Ends a request that the engine doesn't admit; what it has prepared is dropped.
    func refuse(_ refusal: ResponseInfo) {
        work.cancel(isRunning: false)
        complete(refusal)
    }
}
