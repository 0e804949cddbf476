import CurlTransport
import LuaRuntime
import RestEngine

// The code of the guides; GuideTests holds both to be the same.

@EngineActor
final class PeopleAPI {
    let service: Service

    init(baseURL: String) throws {
        let base = BaseURL(baseURL)
        service = Service(engine: Engine(transport: CurlTransport()), name: "people", baseURL: base)
        service.configure(
            ConfigurationEntry(pattern: try .glob("/users/**", base: base), description: "users") { draft in
                draft.configuration.expirationTime = 300
                draft.configuration.headers.set("Accept", "application/json")
            })
        service.configure(
            ConfigurationEntry(pattern: try .glob("/users/*", base: base), description: "user") { draft in
                draft.configuration.pipeline["model"].add(UserTransformer())
            })
    }

    func user(_ login: String) -> Resource { service.resource("/users").child(login) }
}

struct User: Sendable, Equatable {
    let login: String
    let name: String?
}

struct UserTransformer: Transformer {
    var description: String { "user" }

    func process(_ response: Response, _ context: PipelineContext) -> Response {
        guard case .success(var entity) = response, let tree = entity.content.tree,
            let login = tree["login"]?.string
        else { return response }
        entity.content = .native(User(login: login, name: tree["name"]?.string))
        return .success(entity)
    }
}

extension Resource {
    func content() async throws -> Content {
        let result = await withCheckedContinuation { continuation in
            read { continuation.resume(returning: $0) }
        }
        return try result.get().content
    }
}

extension PeopleAPI {
    func renewTokens(_ gate: RefreshGate, with renew: @escaping @EngineActor (Entity) -> Void) {
        let login = service.resource("/-/login")
        let decorator = gate.decorator(when: { $0.httpStatusCode == 401 }) { done in
            login.request("POST")
                .onSuccess { entity in
                    renew(entity)
                    login.service.invalidateConfiguration()
                    done(.renewed)
                }
                .onFailure { done(.failed($0)) }
        }
        service.configure(
            ConfigurationEntry(pattern: .all, description: "tokens") { draft in
                draft.configuration.decorators.append(decorator)
            })
    }
}

enum EngineGuide {
    static func octocat(at address: String) async throws -> User? {
        let people = try await PeopleAPI(baseURL: address)
        guard case .native(let user as User) = try await people.user("octocat").content() else { return nil }
        return user
    }

    static func sum() throws -> Int64? {
        let state = LuaState()
        defer { state.close() }
        let lua = state.main
        lua.push(try state.compile("local a, b = ... return a + b", chunk: "sum.lua"))
        lua.push(1)
        lua.push(2)
        try lua.call(
            arguments: 2, results: 1, phase: RunPhase(name: "sum", mayWait: false, budgetSeconds: 0.05))
        let sum = lua.integer(-1)
        return sum
    }
}
