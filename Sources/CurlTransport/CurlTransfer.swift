internal import RestEngine
internal import Synchronization

/// One request on its way: the caller's end of it.
@EngineActor
final class CurlTransfer: Transfer {
    /// A transfer on ``TransferThread``, and what it takes to have it run here instead.
    private struct Remote {
        let request: TransportRequest
        let gauge: TransferGauge
        let pool: EasyHandlePool
    }

    private let poller: CurlPoller
    private var completion: (@EngineActor (TransportResult) -> Void)?
    private var lastProgress = TransferProgress()
    /// Kept here until the pass is over.
    private var result: TransportResult?

    /// Nil unless a receiver wants the body as it comes.
    private var stream: BodyStream?

    /// While the loop's libcurl has the transfer; it and the handle's reference back are cut together.
    private(set) var handle: EasyHandle?
    /// While the thread has it.
    private var remote: Remote?

    init(poller: CurlPoller, completion: @escaping @EngineActor (TransportResult) -> Void) {
        self.poller = poller
        self.completion = completion
    }

    func cancel() {
        guard completion != nil else { return }
        completion = nil
        stream = nil
        leaveThread()
        poller.abort(self)
    }

    var progress: TransferProgress { handle?.progress ?? remote?.gauge.progress ?? lastProgress }

    // MARK: On the loop

    func attach(_ handle: EasyHandle) {
        self.handle = handle
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
        if remote != nil {
            // The loop can't know that no answer has begun there since its turn began.
            comeBack(with: receiver)
            return true
        }
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

    // MARK: On the thread

    func run(_ request: TransportRequest, on gauge: TransferGauge, or pool: EasyHandlePool) {
        remote = Remote(request: request, gauge: gauge, pool: pool)
    }

    /// Takes the result from the thread, unless the transfer has left it meanwhile.
    func take(_ ended: TransferSet.Ended) {
        guard remote != nil else {
            if let body = ended.body { LargeContent.discard(body) }
            return
        }
        if ended.wantsRoom { return comeBack(with: nil) }
        remote = nil
        detach(ended.result, at: ended.progress)
        if let body = ended.body { complete(joining: body) } else { complete() }
    }

    /// Begins anew on the loop.
    private func comeBack(with receiver: (any BodyReceiver)?) {
        guard let remote else { return }
        leaveThread()
        var request = remote.request
        request.receiver = receiver
        poller.start(request, for: self, by: remote.pool)
    }

    private func leaveThread() {
        guard remote != nil else { return }
        remote = nil
        TransferThread.shared.abort(self)
    }

    // MARK: The end

    /// - Parameters:
    ///   - result: The outcome; nil if it was aborted.
    ///   - progress: How far it was, unless it succeeded.
    func detach(_ result: TransportResult?, at progress: TransferProgress?) {
        if case .success(let response) = result {
            lastProgress.bytesSent = response.timings.bytesSent - response.timings.headBytesSent
            lastProgress.bytesToSend = lastProgress.bytesSent
            lastProgress.bytesReceived = response.timings.bytesReceived
            lastProgress.bytesToReceive = response.timings.bytesReceived
        } else if let progress {
            lastProgress = progress
        }
        self.result = result
        handle = nil
    }

    /// Hands the result over with a large body, when that is in one piece.
    func complete(joining body: LargeBody) {
        // In pieces, as it is.
        LargeContent.shared.run(for: .max) {
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
            // The receiver may have cancelled the transfer.
            guard stream.isDrained, self.completion != nil else { return }
        }
        stream = nil
        self.result = nil
        self.completion = nil
        completion(result)
    }
}

/// The progress of a transfer on another thread, for the engine loop. The thread keeps it up to date from the
/// first reading on, which wakes it, because a transfer that rests gives it no other reason to look.
final class TransferGauge: Sendable {
    private let isWatched = Atomic(false)
    private let last = Mutex(TransferProgress())

    /// As it was when libcurl ran last.
    var progress: TransferProgress {
        if !isWatched.exchange(true, ordering: .relaxed) { TransferThread.shared.report() }
        return last.withLock { $0 }
    }

    /// `progress` is computed only once it has been read.
    func note(_ progress: @autoclosure () -> TransferProgress) {
        guard isWatched.load(ordering: .relaxed) else { return }
        let progress = progress()
        last.withLock { $0 = progress }
    }
}
