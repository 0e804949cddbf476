public import RestEngine

extension Transport {
    /// Sends and waits for the result.
    @EngineActor
    public func answer(to request: TransportRequest) async -> TransportResult {
        await withCheckedContinuation { continuation in
            _ = send(request) { continuation.resume(returning: $0) }
        }
    }
}
