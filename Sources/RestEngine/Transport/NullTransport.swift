/// Sends nothing and never answers: for an engine whose scripts are only looked at.
@EngineActor
public final class NullTransport: Transport {
    private final class NullTransfer: Transfer {
        func cancel() {}
        var progress: TransferProgress { TransferProgress() }
    }

    public nonisolated init() {}

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        NullTransfer()
    }
}
