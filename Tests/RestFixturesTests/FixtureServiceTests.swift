import RestEngine
import Testing

@testable import RestFixtures

struct FixtureServiceTests {
    private static let login = #"{"user":"me","password":"x"}"#
    private static let token = "00000000000000ab00000000000000ab"
    private static let bearer = [("Authorization", "bearer " + token)]

    @Test func `a token opens what is protected, until it expires`() {
        var asker = FixtureAsker(protected: "users/*/repos", lifetime: 5)
        for path in [
            "/private/notes", "/private/notes.json", "/private", "/private/nope", "/users/octocat/repos",
        ] {
            let refused = asker.ask("GET", path)
            #expect(refused.status == 401)
            #expect(refused.text == #"{"message":"Requires authentication"}"#)
            #expect(refused.headers["WWW-Authenticate"] == #"Bearer realm="fixtures""#)
        }
        #expect(
            asker.line("POST", "/-/login", body: Self.login)
                == #"200 {"token":"\#(Self.token)","expires_in":5}"#)
        #expect(asker.line("GET", "/private/notes", Self.bearer) == "200 []")
        #expect(asker.ask("GET", "/users/octocat/repos", Self.bearer).status == 200)
        asker.now += 5
        let expired = asker.ask("GET", "/private/notes", Self.bearer)
        #expect(expired.status == 401)
        #expect(expired.headers["WWW-Authenticate"] == #"Bearer realm="fixtures", error="invalid_token""#)
    }

    @Test func `nothing protected is written, or listed with its folder, without a token`() {
        var asker = FixtureAsker(protected: "users/octocat")
        #expect(asker.ask("DELETE", "/private/notes").status == 401)
        #expect(asker.ask("PUT", "/private/new", body: "{}").status == 401)
        #expect(asker.line("GET", "/users") == #"200 [{"id":2,"login":"hubot"}]"#)
        _ = asker.ask("POST", "/-/login", body: Self.login)
        #expect(asker.ask("GET", "/users", Self.bearer).text.contains("octocat"))
    }

    @Test(arguments: [
        ("POST", "", 400), ("POST", "[]", 422), ("POST", #"{"user":"","password":"x"}"#, 422),
        ("GET", "", 405),
    ])
    func `a login without credentials is refused`(method: String, body: String, status: Int) {
        var asker = FixtureAsker()
        #expect(asker.ask(method, "/-/login", body: body).status == status)
    }

    @Test func `requests are counted by path, whatever the answer`() {
        var asker = FixtureAsker()
        for target in ["/users?page=1", "/users", "/nope", "/users?status=500"] {
            _ = asker.ask("GET", target)
        }
        _ = asker.ask("POST", "/-/login", body: Self.login)
        #expect(asker.line("GET", "/-/counts") == #"200 {"/-/login":1,"/nope":1,"/users":3}"#)
        #expect(asker.line("POST", "/-/reset") == "204")
        #expect(asker.line("GET", "/-/counts") == "200 {}")
        #expect(asker.ask("GET", "/-/reset").status == 405)
    }

    @Test func `a reset keeps changes and tokens unless it is of all`() {
        var asker = FixtureAsker()
        _ = asker.ask("POST", "/-/login", body: Self.login)
        _ = asker.ask("DELETE", "/users/hubot")
        _ = asker.ask("POST", "/-/reset")
        #expect(asker.ask("GET", "/private", Self.bearer).status == 200)
        #expect(asker.ask("GET", "/users/hubot").status == 404)
        _ = asker.ask("POST", "/-/reset?all")
        #expect(asker.ask("GET", "/private", Self.bearer).status == 401)
        #expect(asker.ask("GET", "/users/hubot").status == 200)
    }

    @Test func `an echo tells what arrived`() {
        var asker = FixtureAsker()
        #expect(
            asker.line("PUT", "/-/echo?a", [("X-A", "1"), ("B", "2"), ("x-a", "3")], body: "é")
                == #"200 {"method":"PUT","target":"/-/echo?a","headers":{"x-a":"1, 3","b":"2"},"body":"é"}"#
        )
        let binary = FixtureRequest(method: "POST", target: "/-/echo", body: [0xFF, 0x00])
        #expect(asker.routes.respond(to: binary, at: 0).text.hasSuffix(#""headers":{},"body_hex":"ff00"}"#))
    }

    @Test func `the listing names paths, what they are, and which need a token`() {
        let asker = FixtureAsker(protected: "logo.png")
        let rows = FixtureListing(store: asker.routes.store, access: asker.routes.access).text
            .split(separator: "\n").prefix(10)
            .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        #expect(
            rows == [
                "GET /logo.png image/png, needs a token", "GET /odd no JSON", "GET /odd/broken no JSON",
                "GET /private the folder's items: 1, needs a token",
                "GET /private/notes a list of 0, needs a token",
                "GET /teams a list of 1", "GET /users the folder's items: 2", "GET /users/hubot",
                "GET /users/octocat",
                "GET /users/octocat/repos a list of 3",
            ])
    }
}
