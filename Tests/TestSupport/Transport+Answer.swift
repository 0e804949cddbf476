public import RestEngine
public import Testing

extension Transport {
    /// Sends and waits for the result. A missing result fails the test, and is an error.
    @EngineActor
    public func answer(
        to request: TransportRequest, at location: SourceLocation = #_sourceLocation
    ) async -> TransportResult {
        let result: TransportResult? = await waiting(for: "an answer of \(request.url)", at: location) {
            notified in
            _ = send(request) { notified($0) }
        }
        return result ?? .failure(TransportError(.internal, message: "the test waited in vain"))
    }
}
