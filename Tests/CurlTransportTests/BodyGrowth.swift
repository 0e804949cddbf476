import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// How a body came.
@EngineActor
struct BodyGrowth {
    let result: TransportResult
    /// Bytes that came within one turn of the loop, at most.
    let most: Int

    init(of url: String) async throws {
        var result: TransportResult?
        let transfer = try #require(
            CurlTransport().send(TransportRequest(url: url)) { result = $0 } as? CurlTransfer)
        var (last, most) = (0, 0)
        // In each turn of the loop; a yield misses some where other threads are slow.
        func look() {
            let count = transfer.handle?.body.count ?? last
            most = max(most, count - last)
            last = count
            if result == nil { EngineLoop.shared.submit { look() } }
        }
        look()
        await yielding(until: "the result") { result != nil }
        self.result = try #require(result)
        self.most = most
    }
}
