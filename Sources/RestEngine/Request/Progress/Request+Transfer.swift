extension Request {
    /// Calls the hook with the bytes of the message that is under way, at the interval of
    /// ``Configuration/progressInterval``, and after a success with all bytes of the last message. A request
    /// that fails or is cancelled gets no such last call.
    @discardableResult
    public func onTransfer(_ hook: @escaping @EngineActor (TransferProgress) -> Void) -> Request {
        onProgress { [weak self] _ in
            if let progress = self?.transferred { hook(progress) }
        }
        return onCompletion { [weak self] info in
            if info.response.isSuccess, let whole = self?.exchange?.transferred { hook(whole) }
        }
    }

    /// The bytes of the message that is under way, from now on, as a sequence for one reader; a slow one gets
    /// only the newest. After a success it ends with all bytes, and after a failure or a cancellation it
    /// throws the error of the request.
    public var transferUpdates: TransferUpdates { TransferUpdates(self) }
}

/// The bytes of a request; see ``Request/transferUpdates``.
public struct TransferUpdates: AsyncSequence, Sendable {
    public typealias Element = TransferProgress
    public typealias Failure = RequestError

    private let stream: AsyncStream<Result<TransferProgress, RequestError>>

    @EngineActor
    init(_ request: Request) {
        let (stream, updates) = AsyncStream.makeStream(
            of: Result<TransferProgress, RequestError>.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        // A server that rests already would bring no other update.
        if let progress = request.transferred { updates.yield(.success(progress)) }
        request.onTransfer { updates.yield(.success($0)) }
        request.onCompletion { info in
            if case .failure(let error) = info.response { updates.yield(.failure(error)) }
            updates.finish()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// Reads ``TransferUpdates``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Result<TransferProgress, RequestError>>.Iterator

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RequestError) -> TransferProgress? {
            try await base.next(isolation: actor)?.get()
        }
    }
}

extension Exchange {
    /// All bytes of the message.
    fileprivate var transferred: TransferProgress {
        var progress = TransferProgress()
        progress.bytesSent = timings.bytesSent - timings.headBytesSent
        progress.bytesReceived = timings.bytesReceived
        (progress.bytesToSend, progress.bytesToReceive) = (progress.bytesSent, progress.bytesReceived)
        return progress
    }
}
