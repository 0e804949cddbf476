import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `c.redirects`.
@Suite(.leakChecked) @EngineActor
struct RedirectFieldTests {
    private func run(_ block: String, _ source: String) throws -> (lines: [String], sent: [TransportRequest])
    {
        let fixture = ScriptFixture()
        let transport = fixture.transport
        let moves = [("a", "b"), ("b", "https://other.test/c")]
        for (path, target) in moves {
            try transport.stub(
                method: "GET", urlGlob: "https://api.test/v1/\(path)",
                .response(302, headers: Headers([("Location", target)])))
        }
        try transport.stub(method: "GET", urlGlob: "https://other.test/c", .text(200, "c"))
        try fixture.load(
            """
            api:configure(function(c)
              c.headers["X-Key"] = "k"
              c.headers["X-Secret"] = "s"
              \(block)
            end)
            \(source)
            """)
        for _ in 0..<5 { fixture.advance(1) }
        defer { fixture.close() }
        return (fixture.lines, transport.requests)
    }

    private let load =
        "api:resource('a'):load():on_completion(function(info) print(info.response.ok and info.response.entity.text, info.response.error) end)"

    @Test func `on sees each redirect, and headers that are named go along`() throws {
        let (lines, sent) = try run(
            "c.redirects = { keep_headers = { 'x-key' }, on = function(from, to, status) print(from, to, status) end }",
            load)
        #expect(
            lines == [
                "https://api.test/v1/a\thttps://api.test/v1/b\t302",
                "https://api.test/v1/b\thttps://other.test/c\t302", "c\tnil",
            ])
        #expect(sent.map { $0.headers["X-Key"] } == ["k", "k", "k"])
        #expect(sent.map { $0.headers["X-Secret"] } == ["s", "s", nil])
    }

    @Test func `on may stop there`() throws {
        let (lines, sent) = try run(
            "c.redirects.on = function(from, to) return not to:find('other', 1, true) end",
            "api:resource('a'):load():on_success(function(entity) print(entity.status, entity.url) end)")
        #expect(lines == ["302\thttps://api.test/v1/b"] && sent.count == 2)
    }

    @Test func `URLs that a redirect gave a user and a password are shown without`() throws {
        let fixture = ScriptFixture()
        for (path, location) in [("ok", "/v1/b"), ("bad", "/v1/c")] {
            try fixture.transport.stub(
                method: "GET", urlGlob: "https://api.test/v1/\(path)",
                .response(302, headers: ["Location": "https://bob:hunter2secret@api.test\(location)"]))
        }
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://bob:hunter2secret@api.test/v1/b", .text(200, "b"))
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://bob:hunter2secret@api.test/v1/c", .text(500, "c"))
        try fixture.load(
            """
            rest.spawn(function()
              print(api:resource("ok"):request("GET"):await().url)
              local _, err = api:resource("bad"):request("GET"):await()
              print(err.url, err.attempts[2].url, err)
            end)
            """)
        for _ in 0..<5 { fixture.advance(1) }
        let text = fixture.lines.joined(separator: "\n")
        #expect(!text.contains("hunter2secret"), "\(text)")
        #expect(fixture.lines.first == "https://api.test/v1/b")
        #expect(text.contains("https://api.test/v1/c\thttps://api.test/v1/c\t"), "\(text)")
        fixture.close()
    }

    @Test(arguments: [
        ("error('no')", "script_error"), ("return 1", "script_error"), ("rest.sleep(1)", "script_error"),
    ])
    func `what on raises fails the request`(body: String, code: String) throws {
        let (lines, sent) = try run(
            "c.redirects.on = function() \(body) end",
            "api:resource('a'):load():on_failure(function(err) print(err.cause.type, err.url) end)")
        #expect(lines == ["\(code)\thttps://api.test/v1/a"] && sent.count == 1)
    }

    @Test func `it reads back`() throws {
        let (lines, _) = try run(
            """
            print(c.redirects.on, #c.redirects.keep_headers)
              c.redirects = { keep_headers = { "A", "b" }, on = function() end }
              print(c.redirects.on, table.concat(c.redirects.keep_headers, " "), c.redirects.max)
            """, "local _ = api:resource('a').configuration")
        #expect(lines == ["false\t0", "true\tA b\t20"])
    }
}
