public import RestEngine

/// The engine's transport on libcurl. Its transfers run on the engine loop, which waits in ``CurlPoller``.
///
/// Policy stays out of it: redirects, cookies, retries and caches are the engine's.
@EngineActor
public final class CurlTransport: Transport {
    private let poller: CurlPoller
    private let pool: EasyHandlePool

    public init(options: TransportOptions = TransportOptions()) {
        poller = CurlPoller.shared
        poller.limitConnections(perHost: options.maxConnectionsPerHost, total: options.maxTotalConnections)
        pool = EasyHandlePool(options: options, time: poller.time)
    }

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        // The pass may be old by now: a script may have run in it.
        poller.time.update()
        let transfer = CurlTransfer(poller: poller, completion: completion)
        do throws(TransportError) {
            let handle = try pool.take()
            do throws(TransportError) {
                try handle.prepare(request)
            } catch {
                pool.put(back: handle)
                throw error
            }
            poller.start(transfer, on: handle, of: pool)
        } catch {
            poller.fail(transfer, with: error)
        }
        return transfer
    }
}

/// One request on its way: the caller's end of it.
@EngineActor
final class CurlTransfer: Transfer {
    private let poller: CurlPoller
    private var completion: (@EngineActor (TransportResult) -> Void)?
    private var lastProgress = TransferProgress()
    /// Kept here until the pass is over.
    private var result: TransportResult?

    /// Nil where nobody wants the body as it comes.
    private var stream: BodyStream?

    /// While libcurl has the transfer; it and the handle's reference back are cut together.
    private(set) var handle: EasyHandle?
    private(set) var pool: EasyHandlePool?

    init(poller: CurlPoller, completion: @escaping @EngineActor (TransportResult) -> Void) {
        self.poller = poller
        self.completion = completion
    }

    func cancel() {
        guard completion != nil else { return }
        completion = nil
        stream = nil
        poller.abort(self)
    }

    var progress: TransferProgress { handle?.progress ?? lastProgress }

    func attach(_ handle: EasyHandle, of pool: EasyHandlePool) {
        self.handle = handle
        self.pool = pool
        stream = handle.stream
        handle.upload?.pipe?.onReadable { [weak self] in
            EngineLoop.shared.submit { self?.goOnWithUpload() }
        }
    }

    /// There is more of the request's body.
    private func goOnWithUpload() {
        guard let handle else { return }
        handle.goOnWithUpload()
        poller.hasWork()
    }

    func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard let handle, !handle.deadlines.hasResponse else { return false }
        handle.stream = BodyStream(receiver)
        stream = handle.stream
        return true
    }

    func resume() {
        guard let stream, stream.isHeld else { return }
        stream.isHeld = false
        handle?.deadlines.responseBytes(at: poller.time.now)
        handle?.noteDeadline()
        poller.hasArrived(self)
    }

    /// Tells the receiver what has come, and then the end, if that has.
    func deliverBody() {
        guard let stream, completion != nil else { return }
        stream.drain(self)
        if stream.isHeld {
            handle?.deadlines.bodyHeld()
        } else if stream.isPaused, let handle {
            stream.isPaused = false
            handle.isResting = true
            poller.time.resting.append(handle)
        }
        complete()
    }

    /// `result`: what came of it; nil if it was aborted.
    func detach(_ result: TransportResult?) {
        if case .success(let response) = result {
            lastProgress.bytesSent = response.timings.bytesSent
            lastProgress.bytesToSend = response.timings.bytesSent
            lastProgress.bytesReceived = response.timings.bytesReceived
            lastProgress.bytesToReceive = response.timings.bytesReceived
        } else if let handle {
            lastProgress = handle.progress
        }
        self.result = result
        handle = nil
        pool = nil
    }

    /// Hands the result over with a large body, when that is in one piece.
    func complete(joining body: LargeBody) {
        LargeContent.shared.run {
            body.join()
        } completion: { [self] body in
            guard completion != nil, case .success(var response)? = result else {
                return LargeContent.discard(body)
            }
            response.body = body
            result = .success(response)
            complete()
        }
    }

    /// Hands the result over, unless the transfer was cancelled since.
    func complete() {
        guard let result, let completion else { return }
        if let stream, case .success(let response) = result, (200..<300).contains(response.status) {
            if stream.head == nil { stream.head = response }
            if !stream.isHeld { stream.drain(self) }
            guard stream.isDrained else { return }
        }
        stream = nil
        self.result = nil
        self.completion = nil
        completion(result)
    }
}
