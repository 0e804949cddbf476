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
