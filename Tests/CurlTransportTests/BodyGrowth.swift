import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// How a body arrived.
@EngineActor
struct BodyGrowth {
    let result: TransportResult
    /// The largest number of bytes that arrived within one tick of the loop.
    let most: Int

    init(of url: String) async throws {
        var result: TransportResult?
        let transfer = try #require(
            CurlTransport().send(TransportRequest(url: url)) { result = $0 } as? CurlTransfer)
        var (last, most) = (0, 0)
        // Looks in each tick of the loop; a yield misses some if other threads are slow.
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
