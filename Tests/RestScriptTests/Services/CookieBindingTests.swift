import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CookieBindingTests {
    private func reply(_ cookie: String) -> StubReply {
        .response(headers: Headers([("Set-Cookie", cookie)]))
    }

    private func sent(_ fixture: ScriptFixture) -> [String?] {
        fixture.transport.requests.map { $0.headers["Cookie"] }
    }

    @Test func `58.1 cookies = true, for one service and not for another`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://**", reply("a=1; path=/"))
        try fixture.load(
            """
            local jar = rest.service { name = "jar", base_url = "https://jar.test", transport = { cookies = true } }
            rest.spawn(function()
              for _ = 1, 2 do jar:resource("/x"):request("POST"):await() end
              for _ = 1, 2 do api:resource("/x"):request("POST"):await() end
            end)
            """)
        fixture.settle()
        #expect(sent(fixture) == [nil, "a=1", nil, nil])
        fixture.close()
    }

    @Test func `58.8 those that last are in the file's store, each service's for itself`() throws {
        let fixture = ScriptFixture()
        let store = ScriptStore()
        var paths: [String] = []
        fixture.options.openStore = { settings in
            paths.append(settings.path)
            return store
        }
        try fixture.transport.stub(method: nil, urlGlob: "https://**", reply("a=1; path=/; max-age=60"))
        let script = """
            local options = { cookies = { path = "cookies.db" } }
            local one = rest.service { name = "one", base_url = "https://jar.test", transport = options }
            local two = rest.service { name = "two", base_url = "https://jar.test", transport = options }
            rest.spawn(function() one:resource("/x"):request("POST"):await() two:resource("/x"):request("POST"):await() end)
            """
        try fixture.load(script)
        fixture.settle()
        #expect(sent(fixture) == [nil, nil] && paths.count == 2 && paths[0].hasSuffix("cookies.db"))
        let keys = store.keys("", at: fixture.scheduler.now)
        let entries = keys.compactMap { key in
            store.value(for: key, at: fixture.scheduler.now).flatMap { CookieFile.entry(key, $0) }
        }
        #expect(entries.map(\.service) == ["one", "two"] && entries.allSatisfy { $0.cookie.value == "1" })
        #expect(CookieFile.entry("other", Tree("x")) == nil)
        fixture.close()
        // Another process finds the cookies.
        let later = ScriptFixture()
        later.options.openStore = { _ in store }
        try later.transport.stub(method: nil, urlGlob: "https://**", .response())
        try later.load(script)
        later.settle()
        #expect(sent(later) == ["a=1", "a=1"])
        later.close()
    }

    @Test(arguments: [
        ("5", "option 'transport.cookies' is true, or { path = \"cookies.db\" }"),
        ("{}", "option 'transport.cookies' needs a path: { path = \"cookies.db\" }"),
        ("{ file = 'x' }", "unknown option 'file': 'rest.service.transport.cookies' knows path"),
        ("{ path = 'x.db' }", "cookies can't be kept in files by this program: use cookies = true"),
    ])
    func `what makes no sense is an error of the line`(value: String, message: String) throws {
        let failure = try #require(
            ScriptFixture().failure(of: "rest.service { name = 'x', transport = { cookies = \(value) } }"))
        #expect(failure.message.contains(message), "\(failure.message)")
    }

    @Test func `59.1 c.trace`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://**", .response())
        try fixture.load(
            """
            print(api:resource("a").configuration.trace)
            api:configure(function(c) c.trace = true end)
            print(api:resource("a").configuration.trace)
            rest.on_event({ "attempt" }, function(event) print(#event.trace_id, #event.span_id, event.parent_span_id) end)
            api:resource("a"):load()
            """)
        fixture.settle()
        #expect(fixture.take() == ["false", "true", "32\t16\tnil"])
        #expect(fixture.transport.requests[0].headers["traceparent"]?.hasPrefix("00-") == true)
        fixture.close()
    }
}
