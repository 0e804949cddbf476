import Hummingbird
import Synchronization

/// An upstream that takes its time, and counts its requests.
final class SlowShop: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func requests(_ kind: String) -> Int { counts.withLock { $0[kind] ?? 0 } }

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("orders/{number}") { _, context in
            let number = try context.parameters.require("number", as: Int.self)
            try await self.serve("orders")
            // Some orders are not there.
            guard !number.isMultiple(of: 100) else { throw HTTPError(.notFound) }
            return SlowOrder(number: number, euros: Double(number))
        }
        router.get("rates") { _, _ in
            try await self.serve("rates")
            return SlowRates(dollar: 1.25)
        }
        return router
    }

    private func serve(_ kind: String) async throws {
        counts.withLock { $0[kind, default: 0] += 1 }
        try await Task.sleep(for: .milliseconds(300))
    }

    private struct SlowOrder: ResponseCodable, Sendable {
        let number: Int
        let euros: Double
    }

    private struct SlowRates: ResponseCodable, Sendable {
        let dollar: Double
    }
}
