public import RestEngine

/// The engine's transport on libcurl. Its transfers run on the engine loop, which waits in ``CurlPoller``, or
/// on ``TransferThread``.
///
/// Policy stays out of it: redirects, cookies, retries and caches are the engine's.
@EngineActor
public final class CurlTransport: Transport {
    private let poller: CurlPoller
    private let pool: EasyHandlePool
    private let remote: RemoteTransport
    private let place: TransferPlace
    public let options: TransportOptions?

    /// - Parameter mayLeaveLoop: New requests that only read run on a thread of their own while the engine
    ///   loop is full. They have connections of their own there.
    public convenience init(options: TransportOptions = TransportOptions(), mayLeaveLoop: Bool = false) {
        self.init(options: options, place: mayLeaveLoop ? .byLoad : .loop)
    }

    init(options: TransportOptions, place: TransferPlace) {
        self.options = options
        poller = CurlPoller.shared
        poller.limitConnections(perHost: options.maxConnectionsPerHost, total: options.maxTotalConnections)
        pool = poller.makePool(options)
        remote = RemoteTransport(options)
        // A cap is for all connections together, which one set of transfers counts alone.
        let isCapped = options.maxConnectionsPerHost != nil || options.maxTotalConnections != nil
        self.place = isCapped ? .loop : place
    }

    /// Threads for transfers beside the engine loop, which the process has had need of so far.
    package nonisolated static var threads: Int { TransferThread.shared.isStarted ? 1 : 0 }

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        let transfer = CurlTransfer(poller: poller, completion: completion)
        if place.isThread(for: request, leaves: poller.nextLeaves()) {
            let gauge = TransferGauge()
            transfer.run(request, on: gauge, or: pool)
            TransferThread.shared.start(request, for: transfer, gauge, by: remote)
        } else {
            poller.start(request, for: transfer, by: pool)
        }
        return transfer
    }
}

/// Where the transfers of a transport run.
enum TransferPlace {
    /// On the engine loop.
    case loop
    /// On ``TransferThread``, those that may.
    case thread
    /// As ``LoopLoad`` says.
    case byLoad

    /// Only what may be sent a second time: there is what makes a transfer come back to the loop.
    ///
    /// - Parameter leaves: Asked of one that may.
    func isThread(for request: TransportRequest, leaves: @autoclosure () -> Bool) -> Bool {
        guard self != .loop, request.method == "GET", request.body == nil, request.upload == nil,
            request.receiver == nil
        else { return false }
        return self == .thread || leaves()
    }
}
