import CurlTransport
import Gateway
import RestEngine

/// Fetches the keys with which issuers of tokens sign (JWK Sets).
@EngineActor
enum KeyFetch {
    private static let seconds = 10.0
    private static let mostBytes = 256 << 10
    /// A transport of its own, whose messages cause no events. It starts with the first fetch.
    private static let transport = CurlTransport()

    nonisolated static let fetch: GatewayKeyFetch = { url, completion in
        EngineLoop.shared.submit { get(url, completion) }
    }

    private static func get(
        _ url: String, _ completion: @escaping @Sendable (Result<[UInt8], GatewayKeyFailure>) -> Void
    ) {
        var request = TransportRequest(
            method: "GET", url: url,
            headers: Headers([("Accept", "application/jwk-set+json, application/json")]),
            maxBodyBytes: mostBytes)
        request.timeouts.total = .seconds(seconds)
        _ = transport.send(request) { result in
            switch result {
            case .success(let response) where response.status == 200: completion(.success(response.body))
            case .success(let response):
                completion(.failure(GatewayKeyFailure("the server answered \(response.status)")))
            case .failure(let error): completion(.failure(GatewayKeyFailure(error.message)))
            }
        }
    }
}
