import RestEngine
import TestSupport
import Testing

@testable import RestScript

extension SharedMemoryProvider {
    /// A server at `shared.test:6379`, whose values stay in the process; or a socket.
    static var sample: SharedMemoryProvider { sample { _ in } }

    /// - Parameter seen: Gets the settings that are used.
    static func sample(
        _ seen: @escaping @EngineActor (SharedMemorySettings) -> Void
    ) -> SharedMemoryProvider {
        struct Fault: Error, CustomStringConvertible {
            let description = "its scheme is another one"
        }
        return SharedMemoryProvider { url in
            if url.hasPrefix("unix:") { return Place(.socket(path: String(url.dropFirst(5))), password: nil) }
            guard url.hasPrefix("redis://") else { throw Fault() }
            let password = url.contains("@") ? "a-long-password" : nil
            return Place(.network(host: "shared.test", port: 6379), password: password)
        } faultOfPrefix: { prefix in
            prefix.contains(":") ? "it has a colon" : nil
        } open: { engine, settings in
            seen(settings)
            return LocalSharedMemory(engine)
        }
    }
}

@Suite(.leakChecked) @EngineActor
struct SharedBindingTests {
    private static let declaration = #"rest.shared { redis = "redis://shared.test" } "#

    private func fixture(_ change: (inout ScriptOptions) -> Void = { _ in }) -> ScriptFixture {
        let fixture = ScriptFixture()
        fixture.options.sharedMemory = .sample
        change(&fixture.options)
        return fixture
    }

    private func lines(_ source: String, seconds: Double = 1) throws -> [String] {
        let fixture = fixture()
        try fixture.load(Self.declaration + "rest.spawn(function() \(source)\nend)")
        fixture.advance(seconds)
        let lines = fixture.take()
        fixture.close()
        return lines
    }

    private func error(_ source: String, _ change: (inout ScriptOptions) -> Void = { _ in }) -> String? {
        fixture(change).failure(of: source)?.message
    }

    @Test func `the store keeps values as rest.store does`() throws {
        let lines = try lines(
            """
            local s = rest.store.shared
            print(s:get("none"), s:set("a", { x = { 1, 2 } }), s:get("a").x[2])
            print(s:incr("n"), s:incr("n", 40), s:incr("n", -0.5))
            print(table.concat(s:keys(), " "), table.concat(s:keys("n"), " "))
            print(s:compare_and_set("a", 1, 2), s:compare_and_set("n", 40.5, nil), s:compare_and_set("new", nil, 1))
            print(s:delete("a"), s:delete("a"), s:get("new"), s:set("new", nil), s:get("new"))
            s:set("t", "text")
            print(s:incr("t"))
            """)
        #expect(
            lines == [
                "nil\ttrue\t2", "1\t41\t40.5", "a n\tn", "false\ttrue\ttrue", "true\tfalse\t1\ttrue\tnil",
                "nil\tthe value of 't' is no number",
            ])
    }

    @Test func `collapse has a third value, which needs a shared memory`() throws {
        let configure = """
            local api = rest.service { base_url = "https://api.test" }
            api:configure("**", function(c)
              c.collapse = "shared"
              print(c.collapse)
              c.collapse = true
              print(c.collapse)
              print(select(2, pcall(function() c.collapse = "other" end)))
            end)
            api:resource("/a"):load()
            """
        let fixture = fixture()
        try fixture.load(Self.declaration + configure)
        fixture.advance(1)
        #expect(fixture.take().prefix(2) == ["shared", "true"])
        fixture.close()
        let alone = self.fixture()
        try alone.load(
            """
            local api = rest.service { base_url = "https://api.test" }
            api:configure("**", function(c) print(select(2, pcall(function() c.collapse = "shared" end))) end)
            api:resource("/a"):load()
            """)
        alone.advance(1)
        #expect(alone.take().first?.contains("needs a shared memory") == true)
        alone.close()
    }

    @Test func `a value with a ttl ends`() throws {
        let lines = try lines(
            #"local s = rest.store.shared s:set("a", 1, { ttl = 2 }) rest.sleep(3) print(s:get("a"))"#,
            seconds: 5)
        #expect(lines == ["nil"])
    }

    @Test func `wrong declarations are errors with their reason`() {
        let rows = [
            ("rest.shared {}", "option 'redis' is missing"),
            ("rest.shared { redis = 'http://x' }", "the URL of the shared memory is wrong: its scheme"),
            ("rest.shared { redis = {} }", "a shared memory has 1 to 16 URLs"),
            ("rest.shared { redis = { 'redis://a', 5 } }", "item 2 of 'redis' must be a string"),
            (
                "rest.shared { redis = { 'redis://a', 'http://x' } }",
                "the URL 2 of the shared memory is wrong: its scheme"
            ),
            ("rest.shared { redis = 'redis://a, http://x' }", "the URL 2 of the shared memory is wrong"),
            (
                "rest.shared { redis = '" + String(repeating: "redis://a,", count: 16) + "redis://a' }",
                "a shared memory has 1 to 16 URLs"
            ),
            (
                "rest.shared { redis = { ('redis://a,'):rep(5000), ('redis://a,'):rep(5000) } }",
                "option 'redis' has 65536 bytes at most"
            ),
            ("rest.shared { redis = 'redis://a', ca_file = '/nowhere/ca.pem' }", "is not allowed"),
            (
                "rest.shared { redis = 'redis://a', prefix = 'a:b' }",
                "option 'prefix' of rest.shared: it has a colon"
            ),
            (
                "rest.shared { redis = 'redis://a', timeout = 60 }",
                "option 'timeout' is a number of seconds from"
            ),
            (Self.declaration + Self.declaration, "rest.shared was called at test.lua:1 already"),
            ("print(rest.store.shared)", "rest.store.shared needs a shared memory: declare one before"),
            (
                "rest.cache.redis {}",
                "rest.cache.redis without 'url' needs a shared memory: declare one before"
            ),
            (Self.declaration + "rest.cache.redis { ttl = 0 }", "option 'ttl' is a number of seconds from 1"),
            (Self.declaration + "rest.cache.redis { user = 5 }", "option 'user' is a text or a function"),
        ]
        for (source, message) in rows {
            let error = error(source)
            #expect(error?.contains(message) == true, "\(source): \(error ?? "no error")")
        }
    }

    @Test func `the server has to be granted as hosts are`() {
        let grant = HostGrant("other.test")
        let refused = error(Self.declaration) { $0.capabilities.hosts = .only([grant].compactMap(\.self)) }
        #expect(
            refused?.contains(
                "the shared memory at shared.test:6379 is not allowed: grant it with --allow-net other.test,shared.test:6379"
            )
                == true, "\(refused ?? "")")
        #expect(error(Self.declaration) { $0.capabilities.hosts = .declared } == nil)
        let own = HostGrant("shared.test:6379")
        #expect(error(Self.declaration) { $0.capabilities.hosts = .only([own].compactMap(\.self)) } == nil)
        let given = error("rest.permissions { net = { 'api.test' } } " + Self.declaration)
        #expect(given?.contains("leaves it out of 'net'") == true)
        #expect(error("rest.shared { redis = 'unix:/nowhere/redis.sock' }")?.contains("not allowed") == true)
    }

    @Test func `each server of a list has to be granted`() {
        let list = "rest.shared { redis = { 'redis://shared.test', 'unix:/nowhere/redis.sock' } }"
        let own = HostGrant("shared.test:6379")
        let hosts = [own].compactMap(\.self)
        #expect(error(list) { $0.capabilities.hosts = .only(hosts) }?.contains("unix:/nowhere") == true)
        #expect(error("rest.shared { redis = { 'redis://shared.test', 'redis://shared.test' } }") == nil)
    }

    @Test func `a sentinel may lead elsewhere if no hosts are named`() throws {
        for (grant, follows) in [(nil, true), ("shared.test", false)] {
            let seen = Journal()
            let fixture = fixture { options in
                if let host = grant.flatMap({ HostGrant($0) }) { options.capabilities.hosts = .only([host]) }
                options.sharedMemory = .sample { seen.note("\($0.urls) \($0.followsSentinels)") }
            }
            try fixture.load("rest.shared { redis = { 'redis://a', 'redis://b' } }")
            #expect(seen.lines == ["[\"redis://a\", \"redis://b\"] \(follows)"])
            fixture.close()
        }
    }

    @Test func `a password is hidden from then on`() throws {
        let fixture = fixture()
        try fixture.load(
            "rest.shared { redis = 'redis://:a-long-password@shared.test' } rest.log.info('it is a-long-password')"
        )
        #expect(fixture.take() == ["it is ***"])
        fixture.close()
    }

    @Test func `the settings of the program go before those of the script`() throws {
        let fixture = fixture { $0.shared = SharedMemorySettings(urls: ["redis://shared.test"]) }
        try fixture.load("print(rest.store.shared, rest.cache.redis())")
        #expect(fixture.take() == ["shared store\tmemory cache"])
        fixture.close()
    }

    @Test func `a cache of a stage finds what was written`() throws {
        let fixture = fixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            Self.declaration + """
                local cache = rest.cache.redis { ttl = 60, compress = true, user = "me" }
                api:configure(function(c) c.pipeline.model.cache = cache end)
                api:resource("text"):load():on_completion(function() print("loaded") end)
                """)
        fixture.advance(1)
        #expect(fixture.take() == ["loaded"])
        fixture.close()
    }
}
