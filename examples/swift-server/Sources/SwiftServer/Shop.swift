import Hummingbird
import RestClient

/// The upstream, as the server knows it.
struct Shop {
    private let orders: Endpoint
    private let rates: Call<Rates>

    init(url: String) throws {
        let shop = try Endpoint(url: url) {
            Header(.accept, "application/json")
            Timeout(.seconds(20))
            Configure { $0.expirationTime = .minutes(5) }
        }
        orders = try shop.endpoint("orders")
        rates = shop.get("rates")
    }

    /// Each order is requested when it is asked for.
    func order(_ number: Int) -> Call<Order> { orders.get("\(number)") }

    /// The rates are the same for all: of a thousand callers at once, one makes the request.
    func currentRates() async throws(RequestError) -> Rates {
        try await rates.resource.get(as: Rates.self)
    }
}

struct Order: Codable, Sendable {
    let number: Int
    let euros: Double
}

struct Rates: Codable, Sendable {
    let dollar: Double
}

struct Price: ResponseCodable, Sendable {
    let order: Int
    let dollars: Double
}
