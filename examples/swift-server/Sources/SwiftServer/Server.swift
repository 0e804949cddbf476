import Hummingbird
import RestClient

/// The server: it asks the shop for two things at once, and answers with what follows from them.
func makeServer(shop: Shop) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("prices/{order}") { _, context in
        let number = try context.parameters.require("order", as: Int.self)
        do {
            async let order = shop.order(number)()
            async let rates = shop.currentRates()
            return try await Price(order: number, dollars: order.euros * rates.dollar)
        } catch let error as RequestError {
            // A client learns what the shop said, and a failure of the shop is a bad gateway.
            throw HTTPError(error.httpStatusCode == 404 ? .notFound : .badGateway, message: error.userMessage)
        }
    }
    return router
}
