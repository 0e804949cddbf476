import RestEngine

/// An expired token is renewed, and the failed request is repeated; its caller only waits a little longer. If
/// many requests fail together, there is one login.
@EngineActor
final class TokenRefresh {
    let service: Service
    private let gate = RefreshGate()
    private var token = "expired"

    init(_ api: API) throws {
        service = try api.service("token_refresh")
        service.configure("/private/**") { [weak self] configuration in
            guard let self else { return }
            configuration.headers[.authorization] = "Bearer \(token)"
            configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) { [weak self] in try await self?.logIn() })
        }
    }

    private func logIn() async throws {
        let answer = try await service.resource("/-/login").request(.post, json: API.credentials).entity()
        token = answer.json["token"]?.string ?? token
        service.invalidateConfiguration()
    }
}
