import TestSupport
import Testing

@testable import RestEngine

/// The latest requests to APIs, for people who look later (rules 76).
@Suite(.leakChecked) @EngineActor
struct EventHistoryTests {
    private let fixture = EngineFixture()
    private let history = EventHistory()

    private func load(_ path: String) {
        fixture.resource(path).load()
        fixture.settle()
    }

    private func kinds(_ events: [EngineEvent]) -> [String] { events.map(\.kind.rawValue) }

    /// The message of the latest request, as it is shown.
    private func latest() throws -> Tree {
        let number = try #require(history.events.last?.request)
        return try #require(history.exchanges(of: number).last).tree(fixture.service.baseURL)
    }

    /// The answer's body, as it is shown.
    private func shown(
        _ body: [UInt8], _ type: String?, _ headers: [String: String] = [:]
    ) throws -> Tree? {
        var headers = headers
        headers["Content-Type"] = type
        try fixture.stub(
            "GET", "shown", .response(200, headers: Headers(headers.map { ($0.key, $0.value) }), body: body))
        fixture.resource("shown").request(.get)
        fixture.settle()
        return try latest()["answer"]?["body"]
    }

    @Test func `76.1 before it begins nothing listens, and after its end nothing is kept`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        load("a")
        #expect(!fixture.engine.hasListeners(of: .attempt) && history.events.isEmpty)
        history.begin(fixture.engine)
        history.begin(fixture.engine)
        fixture.resource("a").request(.get)
        fixture.settle()
        #expect(kinds(history.events) == ["request", "attempt", "response"])
        history.end()
        #expect(!fixture.engine.hasListeners(of: .attempt) && history.events.isEmpty)
    }

    @Test(arguments: [(30, 1 << 20), (1000, 64 << 10)])
    func `76.2 the oldest events go when they are too many or too large`(most: Int, bytes: Int) throws {
        let history = EventHistory(mostEvents: most, mostBytes: bytes)
        history.begin(fixture.engine)
        defer { history.end() }
        try fixture.stub("GET", "a", .text(200, String(repeating: "x", count: KeptBody.keptBytes)))
        for _ in 0..<20 {
            fixture.resource("a").request(.get)
            fixture.settle()
        }
        #expect(history.events.last?.request == 20)
        #expect(history.exchanges(of: 1).isEmpty && !history.exchanges(of: 20).isEmpty)
        if most == 30 {
            #expect(history.events.count == 30)
        } else {
            let attempts = history.events.filter { $0.kind == .attempt }.count
            #expect(attempts >= 3 && attempts <= bytes / KeptBody.keptBytes)
        }
    }

    @Test func `76.4 a message is shown with its headers and bodies, secrets masked`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        try fixture.stub(
            "POST", "a**",
            .response(
                201, headers: ["Set-Cookie": "sid=canary-1", "Content-Type": "application/json"],
                body: Array(#"{"access_token":"canary-2","note":"sid=canary-1 canary-3x"}"#.utf8)))
        fixture.resource("a").withParam("api_key", "canary-4").request(
            "POST", headers: ["Authorization": "Bearer canary-3x", "X-A": "plain"],
            body: .json(Tree(pairs: [("password", "canary-5"), ("name", "Ada")])))
        fixture.settle()
        let tree = try latest()
        let text = String(decoding: try tree.json(), as: UTF8.self)
        #expect(!text.contains("canary"), "\(text)")
        #expect(tree["headers"]?.elements.contains(["X-A", "plain"]) == true)
        #expect(tree["headers"]?.elements.contains(["Authorization", "Bearer ***"]) == true)
        #expect(tree["body"]?["text"]?.string?.contains(#""name":"Ada""#) == true)
        #expect(tree["answer"]?["status"]?.int == 201)
        #expect(tree["answer"]?["body"]?["text"]?.string?.contains("note") == true)
    }

    @Test func `76.4 of a long body the beginning is shown, without the beginning of a secret`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        let secret = "canary-" + String(repeating: "s", count: 3000)
        SecretMask.hide(secret)
        for place in [KeptBody.shownBytes - 10, KeptBody.keptBytes - 100] {
            let body = Array(
                (String(repeating: "x", count: place) + secret + String(repeating: "y", count: 2000)).utf8)
            let shown = try #require(try shown(body, "text/plain"))
            #expect(shown["size"]?.int == Int64(body.count))
            #expect(shown["cut"]?.bool == true)
            let text = try #require(shown["text"]?.string)
            #expect(text.utf8.count > KeptBody.shownBytes / 2 && text.utf8.count <= KeptBody.shownBytes)
            #expect(!text.contains("canary"), "\(text.suffix(100))")
        }
    }

    @Test func `76.4 the end of a preview is within no character`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        let shown = try shown(Array(("x" + String(repeating: "ä", count: 20_000)).utf8), "text/plain")
        #expect(shown?["text"]?.string?.hasSuffix("ä") == true)
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", true), ("application/problem+json", true), ("image/svg+xml", true),
        ("application/x-www-form-urlencoded", true), ("application/yaml", true), ("image/png", false),
        ("application/octet-stream", false), ("application/pdf", false), (nil, false),
    ]) func `76.4 only text is shown`(type: String?, isShown: Bool) throws {
        history.begin(fixture.engine)
        defer { history.end() }
        let shown = try #require(try shown(Array("a=1".utf8), type))
        #expect((shown["text"]?.string == "a=1") == isShown)
        #expect((shown["reason"]?.string == nil) == isShown)
        #expect(shown["size"]?.int == 3)
    }

    @Test func `76.4 an encoded body is not shown`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        let shown = try shown([1, 2, 3], "application/json", ["Content-Encoding": "zstd"])
        #expect(shown?["text"] == nil)
        #expect(shown?["reason"]?.string?.contains("encoded as zstd") == true)
    }

    @Test func `76.4 a body that was passed on is shown if it is short`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        for (count, isShown) in [(100, true), (50_000, false)] {
            try fixture.stub("GET", "a", .text(200, String(repeating: "x", count: count)))
            let request = fixture.resource("a").request(.get)
            #expect(request.giveBody(to: PiecesReceiver()))
            fixture.settle()
            let body = try latest()["answer"]?["body"]
            #expect(body?["size"]?.int == Int64(count))
            #expect((body?["text"] != nil) == isShown)
        }
    }

    @Test func `76.5 a request is a command for curl`() throws {
        history.begin(fixture.engine)
        defer { history.end() }
        try fixture.stub("POST", "a**", .text(200, "x"))
        fixture.resource("a").request(
            "POST", headers: ["Authorization": "Bearer abcdefgh"], body: .text("it's", charset: "utf-8"))
        fixture.settle()
        let curl = try latest()["curl"]?.string ?? ""
        #expect(curl.hasPrefix("curl -X POST 'https://api.test/v1/a'"))
        #expect(curl.contains("-H 'Authorization: Bearer ***'"))
        #expect(curl.contains(#"--data-raw 'it'\''s'"#))
        // A body that isn't there as a whole is named.
        fixture.resource("a").request(
            "POST", body: .text(String(repeating: "x", count: 50_000), charset: "utf-8"))
        fixture.settle()
        #expect(try latest()["curl"]?.string?.contains("--data-binary '@body'") == true)
    }
}
