internal import RestEngine

/// One request on its way: the caller's end of it.
@EngineActor
final class CurlTransfer: Transfer {
    private let poller: CurlPoller
    private var completion: (@EngineActor (TransportResult) -> Void)?
    private var lastProgress = TransferProgress()

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
        poller.abort(self)
    }

    var progress: TransferProgress { handle?.progress ?? lastProgress }

    func attach(_ handle: EasyHandle, of pool: EasyHandlePool) {
        self.handle = handle
        self.pool = pool
    }

    func detach() {
        if let handle { lastProgress = handle.progress }
        handle = nil
        pool = nil
    }

    /// Hands the result over, unless the transfer was cancelled since.
    func complete(_ result: TransportResult) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
