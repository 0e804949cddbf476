import CurlTransport
import RestEngine

/// The requests to the API in ../quickstart/fixtures. Callers of ``user(_:)`` need to know none of it.
@EngineActor
final class PeopleAPI {
    private let service: Service
    private let gate = RefreshGate()
    private var token: String?

    init(baseURL: String) throws {
        service = try Service(
            engine: Engine(transport: CurlTransport()), name: "people", baseURL: baseURL)

        service.configure("**") { $0.headers[.userAgent] = "swift-client" }
        service.configure("/users/**") { $0.expirationTime = .minutes(5) }
        let decoder = TreeDecoder(keys: .snakeCase)
        service.model(User.self, at: "/users/*", decoder: decoder)
        service.model([Repository].self, at: "/users/*/repos", decoder: decoder)
        service.configureTransformer("/users/*/repos", stage: .cleanup) {
            (repositories: [Repository], _) in
            repositories.sorted { $0.stargazersCount > $1.stargazersCount }
        }

        service.model([Note].self, at: "/private/notes", decoder: decoder)
        service.configure("/private/**") { [weak self] configuration in
            guard let self else { return }
            if let token { configuration.headers[.authorization] = "Bearer \(token)" }
            configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) { [weak self] in try await self?.logIn() })
        }
    }

    func user(_ login: String) -> Resource { service.resource("/users").child(login) }

    func repositories(of login: String) -> Resource { user(login).child("repos") }

    var notes: Resource { service.resource("/private/notes") }

    /// Runs once for all requests that were refused together. Each of them is repeated.
    private func logIn() async throws {
        struct Login: Decodable { let token: String }
        let credentials = ["user": "swift-client", "password": "not a secret"]
        let login = service.resource("/-/login").request(.post, json: credentials)
        token = try await login.content(as: Login.self).token
        // The block for "/private/**" runs again, and reads the token.
        service.invalidateConfiguration()
    }
}
