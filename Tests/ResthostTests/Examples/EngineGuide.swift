import CurlTransport
import LuaRuntime
import RestEngine
import RestTesting

// The code of the guides. GuideTests checks that both are the same.

@EngineActor
final class PeopleAPI {
    private let service: Service
    private let gate = RefreshGate()
    private var token: String?

    init(baseURL: String, engine: Engine = Engine(transport: CurlTransport())) throws {
        service = try Service(engine: engine, name: "people", baseURL: baseURL)
        service.configure("**") { $0.headers[.accept] = "application/json" }
        service.configure("/users/**") { $0.expirationTime = .minutes(5) }
        service.model(User.self, at: "/users/*", decoder: TreeDecoder(keys: .snakeCase))
        service.configureTransformer("/users/*/repos") { (repositories: Tree, _) in
            repositories.elements.compactMap { $0["name"]?.string }
        }
        service.configure("/private/**") { [weak self] configuration in
            try self?.authorize(&configuration)
        }
    }

    func user(_ login: String) -> Resource { service.resource("/users").child(login) }
}

extension PeopleAPI {
    func rename(_ login: String, to name: String) async throws(RequestError) -> User {
        try await user(login).request(.patch, json: ["name": name]).content(as: User.self)
    }
}

extension PeopleAPI {
    private func authorize(_ configuration: inout Configuration) throws {
        if let token { configuration.headers[.authorization] = "Bearer \(token)" }
        configuration.decorators.append(
            gate.decorator(when: { $0.httpStatusCode == 401 }) { [weak self] in try await self?.logIn() })
    }

    private func logIn() async throws {
        struct Login: Decodable { let token: String }
        let login = service.resource("/login").request(.post, json: ["user": "me", "password": "secret"])
        token = try await login.content(as: Login.self).token
        service.invalidateConfiguration()
    }
}

extension PeopleAPI {
    var notes: Resource { service.resource("/private/notes") }
}

struct User: Codable, Sendable, Equatable {
    let login: String
    let name: String?
    let createdAt: String?
}

extension ContentHolder {
    var user: User? { typedContent() }
}

enum EngineGuide {
    static func octocat(at address: String) async throws -> (User, [String], PeopleAPI) {
        let people = try await PeopleAPI(baseURL: address)
        let user = try await people.user("octocat").get(as: User.self)
        let names = try await people.user("octocat").child("repos").get(as: [String].self)
        return (user, names, people)
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

func name(of login: String, in people: PeopleAPI) async -> String {
    do throws(RequestError) {
        return try await people.user(login).get(as: User.self).name ?? login
    } catch {
        return error.httpStatusCode == 404 ? error.json["message"]?.string ?? "" : error.userMessage
    }
}

func watch(_ resource: Resource, until name: String) async {
    for await update in await resource.events() {
        let user: User? = update.snapshot.typedContent()
        print(update.event.name, user?.name ?? "nobody yet", update.snapshot.isLoading)
        if user?.name == name { return }
    }
}

func stubbed() async throws -> User {
    let api = try await StubbedAPI(baseURL: "https://people.test")
    try await api.stub(.get, "users/*", .json(#"{"login": "octocat"}"#).delayed(by: .seconds(3)))
    let people = try await PeopleAPI(baseURL: "https://people.test", engine: api.engine)
    return try await api.clock.run { try await people.user("octocat").get(as: User.self) }
}

@EngineActor
func summaries(of people: Service) -> Service {
    let pages = Service(engine: people.engine, name: "pages", baseURL: nil)
    pages.computed("/summary/{login}", expirationTime: .seconds(60)) { names, _ in
        let user = try await people.resource("/users/\(names["login"] ?? "")").get(as: User.self)
        return .text("\(user.login) is \(user.name ?? "nobody")")
    }
    return pages
}
