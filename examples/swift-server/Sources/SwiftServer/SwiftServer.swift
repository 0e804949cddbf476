import Hummingbird
import RestClient

@main
struct SwiftServer {
    static func main() async throws {
        let slow = SlowShop()
        try await withRunning(slow.makeRouter()) { upstream in
            try await withRunning(makeServer(shop: try Shop(url: upstream))) { address in
                try await ask(Endpoint(url: address))
            }
        }
        print("The upstream got:")
        print("  \(slow.requests("orders")) requests for orders")
        print("  \(slow.requests("rates")) for the rates")
    }

    /// Sends 1,000 requests at once.
    private static func ask(_ server: Endpoint) async throws {
        var statuses: [Int: Int] = [:]
        var sum = 0.0
        await withTaskGroup(of: (Int, Double).self) { group in
            for number in 1...1000 {
                group.addTask {
                    do throws(RequestError) {
                        let response = try await server.get("prices/\(number)", as: PriceAnswer.self)
                            .response()
                        return (response.status ?? 0, response.value.dollars)
                    } catch { return (error.httpStatusCode ?? 0, 0) }
                }
            }
            for await (status, dollars) in group {
                statuses[status, default: 0] += 1
                sum += dollars
            }
        }
        print("1000 requests at once:")
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) { print("  \(status): \(count)") }
        print("  \(sum) dollars")
    }

    private struct PriceAnswer: Decodable, Sendable {
        let dollars: Double
    }

    /// Serves on a port of the system's choice while `body` runs.
    private static func withRunning(
        _ router: Router<BasicRequestContext>, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), backlog: 1024),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
        app.logger.logLevel = .critical
        let server = app
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            guard let port = await ports.first(where: { _ in true }) else { return }
            try await body("http://127.0.0.1:\(port)")
            group.cancelAll()
        }
    }
}
