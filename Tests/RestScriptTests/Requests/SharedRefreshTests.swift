import Coordination
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Gives credentials of another host, or lets this host get them.
@EngineActor
private final class FakeRefreshes: HostCoordination {
    var credentials: SharedCredentials?
    let calls = Journal()

    func begin(_ refresh: SharedRefresh) {
        calls.note("\(refresh.name) refused \(refresh.refused.map(String.init) ?? "none")")
        if let credentials, credentials.number != refresh.refused { return refresh.decide(.use(credentials)) }
        refresh.decide(
            .renew { [self] outcome in
                guard case .renewed(let value?, let lifetime) = outcome else { return nil }
                calls.note("renewed \(value) for \(lifetime ?? 0) s")
                let number = (credentials?.number ?? 0) + 1
                credentials = SharedCredentials(number: number, value, expiresAt: nil)
                return number
            })
    }

    func begin(_ load: SharedLoad) { load.load(under: nil) }
    func publish(_ invalidation: Invalidation) {}
    func awaitsChange(of resource: Resource) -> Bool { false }
    func follow(_ resource: Resource) {}
    func announce(_ resource: Resource) {}
    func stop() {}
    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) { completion(nil) }
}

@Suite(.leakChecked) @EngineActor
struct SharedRefreshTests {
    private static let recipe = """
        rest.shared { redis = "redis://shared.test" }
        local login = api:resource("login")
        api:configure("**", function(c)
          c.headers["Authorization"] = rest.store:get "shop"
          c:decorate_requests(rest.refresh_on(401, function()
            local entity, err = login:request("POST"):await()
            if not entity then return nil, err end
            return entity.content.token, 60
          end, { shared = "shop" }))
        end)
        local function get(path)
          return api:resource(path):request("GET"):on_completion(function(info)
            local r = info.response
            print(path, r.ok and r.entity.text or r.error.user_message)
          end)
        end

        """

    private func run(
        _ credentials: SharedCredentials?, valid: Int, recipe: String = recipe
    ) throws -> (lines: [String], calls: [String], logins: Int) {
        let fixture = ScriptFixture()
        fixture.options.sharedMemory = .sample
        let server = try TokenServer(fixture.transport)
        server.valid = valid
        let fake = FakeRefreshes()
        fake.credentials = credentials
        try fixture.load(recipe + "rest.after(1, function() get('a') get('b') end)")
        fixture.engine.coordination = fake
        for _ in 0..<10 { fixture.advance(1) }
        fixture.engine.coordination = nil
        let lines = fixture.take()
        fixture.close()
        return (lines, fake.calls.lines, server.logins)
    }

    @Test func `The function returns the credentials, and blocks find them in the store`() throws {
        let (lines, calls, logins) = try run(nil, valid: 1)
        #expect(lines == ["a\ta with t2", "b\tb with t2"])
        #expect(calls == ["shop refused none", "renewed \"t2\" for 60.0 s"] && logins == 1)
    }

    @Test func `Credentials of another host need no login`() throws {
        let (lines, calls, logins) = try run(SharedCredentials(number: 7, "t5", expiresAt: nil), valid: 5)
        #expect(lines == ["a\ta with t5", "b\tb with t5"])
        #expect(calls == ["shop refused none"] && logins == 0)
    }

    @Test func `Credentials of another host that are refused, too, are renewed`() throws {
        let (lines, calls, logins) = try run(SharedCredentials(number: 7, "t4", expiresAt: nil), valid: 5)
        #expect(lines == ["a\ta with t6", "b\tb with t6"])
        #expect(calls == ["shop refused none", "shop refused 7", "renewed \"t6\" for 60.0 s"] && logins == 1)
    }

    @Test func `A block that runs for another URL knows which credentials were refused`() throws {
        let fixture = ScriptFixture()
        fixture.options.sharedMemory = .sample
        let server = try TokenServer(fixture.transport)
        let fake = FakeRefreshes()
        try fixture.load(
            Self.recipe + "rest.after(1, function() get('a') end) rest.after(5, function() get('b') end)")
        fixture.engine.coordination = fake
        for _ in 0..<4 { fixture.advance(1) }
        server.valid = 9
        for _ in 0..<6 { fixture.advance(1) }
        fixture.engine.coordination = nil
        #expect(fixture.take() == ["a\ta with t2", "b\tb with t10"])
        #expect(
            fake.calls.lines.filter { $0.contains("refused") } == ["shop refused none", "shop refused 1"])
        fixture.close()
    }

    @Test func `Each partition has credentials of its own, and none of them is shown`() throws {
        let fixture = ScriptFixture()
        fixture.options.sharedMemory = .sample
        let server = try TokenServer(fixture.transport)
        let fake = FakeRefreshes()
        fake.credentials = SharedCredentials(number: 7, "token-of-a-partition-4711", expiresAt: nil)
        try fixture.load(
            Self.recipe.replacing(#"rest.store:get "shop""#, with: #"rest.store:get "shop:ada""#)
                + "rest.after(1, function() api:resource('a', { partition = 'ada' }):load() end)")
        fixture.engine.coordination = fake
        for _ in 0..<3 { fixture.advance(1) }
        fixture.engine.coordination = nil
        #expect(fake.calls.lines.first == "shop:ada refused none")
        #expect(server.journal.contains("a token-of-a-partition-4711"))
        #expect(SecretMask.standard.line("it is token-of-a-partition-4711") == "it is ***")
        fixture.close()
    }

    // MARK: Beside a reload

    /// A script that gets a path after a second, in place of the one before.
    private func reload(
        _ scripts: ReloadFixture, _ fake: FakeRefreshes, _ path: String, recipe: String = recipe
    ) {
        #expect(scripts.reload(recipe + "rest.after(1, function() get('\(path)') end)") == nil)
        scripts.fixture.engine.coordination = fake
    }

    private func advance(_ scripts: ReloadFixture, seconds: Int) {
        for _ in 0..<seconds { scripts.fixture.advance(1) }
    }

    @Test func `After a reload blocks find the credentials, and renew them when they are refused`() throws {
        let scripts = try ReloadFixture("")
        scripts.fixture.options.sharedMemory = .sample
        let server = try TokenServer(scripts.fixture.transport)
        let fake = FakeRefreshes()
        for path in ["a", "b"] {
            reload(scripts, fake, path)
            advance(scripts, seconds: 4)
        }
        #expect(scripts.take() == ["a\ta with t2", "b\tb with t2"] && server.logins == 1)
        server.valid = 9
        reload(scripts, fake, "c")
        advance(scripts, seconds: 4)
        #expect(scripts.take() == ["c\tc with t10"] && server.logins == 2)
        advance(scripts, seconds: 180)
        scripts.fixture.engine.coordination = nil
        scripts.close()
    }

    @Test func `A login that the script before has begun serves the requests of both`() throws {
        let scripts = try ReloadFixture("")
        scripts.fixture.options.sharedMemory = .sample
        let server = try TokenServer(scripts.fixture.transport)
        let fake = FakeRefreshes()
        let slow = Self.recipe.replacing("local entity, err", with: "rest.sleep(5) local entity, err")
        reload(scripts, fake, "a", recipe: slow)
        advance(scripts, seconds: 2)
        reload(scripts, fake, "b")
        advance(scripts, seconds: 10)
        #expect(scripts.take() == ["b\tb with t2", "a\ta with t3"] && server.logins == 2)
        // The new script's blocks have the first token; the second one is there without a login.
        let late = try scripts.api.resource("c").load()
        advance(scripts, seconds: 2)
        #expect(late.info?.response.entity?.text == "c with t3" && server.logins == 2)
        advance(scripts, seconds: 180)
        scripts.fixture.engine.coordination = nil
        scripts.close()
    }

    @Test func `True in place of credentials is a warning`() throws {
        let recipe = Self.recipe.replacing(
            "return entity.content.token, 60",
            with: "rest.store:set('shop', entity.content.token) api:invalidate_configuration() return true")
        let (lines, calls, _) = try run(nil, valid: 1, recipe: recipe)
        #expect(lines.contains { $0.contains("returned true and no credentials") })
        #expect(lines.filter { $0.hasSuffix("with t2") }.count == 2 && calls.count == 1)
    }

    @Test func `The name needs a shared memory, and has a limit`() {
        let fixture = ScriptFixture()
        fixture.options.sharedMemory = .sample
        #expect(
            fixture.failure(of: "rest.refresh_on(401, print, { shared = 'x' })")?.message
                .contains("needs a shared memory") == true)
        let declared = "rest.shared { redis = 'redis://shared.test' } "
        #expect(
            fixture.failure(of: declared + "rest.refresh_on(401, print, { shared = '' })")?.message
                .contains("1 to 128 bytes") == true)
    }
}
