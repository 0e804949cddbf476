import RestEngine

@testable import RestFixtures

/// Sends requests to routes over a table of files, with a stopped clock.
struct FixtureAsker {
    var routes: FixtureRoutes
    static let modified = 1_000_000
    var now = 2_000_000.0

    init(_ texts: [String: String] = Self.texts, protected: String = "", lifetime: Double = 60) {
        routes = FixtureRoutes(
            store: FixtureStore(files: FixtureTexts(texts, modified: Self.modified)),
            tokens: FixtureTokens(lifetime: lifetime, random: { 0xAB }), access: FixtureGuard(protected))
    }

    static let texts = [
        "users/hubot.json": #"{"id":2,"login":"hubot"}"#,
        "users/octocat.json": #"{"id":1,"login":"octocat","plan":{"name":"free","seats":1}}"#,
        "users/octocat/repos.json": #"[{"id":7,"name":"ink"},{"id":8,"name":"reef"},{"id":9,"name":"kelp"}]"#,
        "teams/index.json": #"[{"id":"red"}]"#,
        "private/notes.json": "[]",
        "logo.png": "pixels",
        "odd/broken.json": "[1,",
    ]

    mutating func ask(
        _ method: String = "GET", _ target: String, _ headers: [(String, String)] = [], body: String = ""
    ) -> FixtureResponse {
        let request = FixtureRequest(
            method: method, target: target, headers: Headers(headers), body: Array(body.utf8))
        return routes.respond(to: request, at: now)
    }

    /// The status and the body.
    mutating func line(
        _ method: String = "GET", _ target: String, _ headers: [(String, String)] = [], body: String = ""
    ) -> String {
        let response = ask(method, target, headers, body: body)
        return response.body.isEmpty ? "\(response.status)" : "\(response.status) \(response.text)"
    }
}

extension FixtureResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
