import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct RefreshTests {
    /// The decorator of the guide's example, and a function that prints the ends of requests.
    private static let recipe = """
        local token = "t1"
        local login = api:resource("login")
        local refreshes = 0
        api:configure("**", function(c)
          if token then c.headers["Authorization"] = token end
          c:decorate_requests(rest.refresh_on(401, function()
            refreshes = refreshes + 1
            local entity, err = login:request("POST", { json = { user = "me" } }):await()
            if not entity then return nil, err end
            token = entity.content.token
            api:invalidate_configuration()
            return true
          end))
        end)
        local function get(path)
          return api:resource(path):request("GET"):on_completion(function(info)
            local r = info.response
            print(path, r.ok and r.entity.text or r.error.user_message, refreshes)
          end)
        end

        """

    /// Runs a script against a server whose token has just been replaced; returns the output and the server.
    private func run(
        _ source: String, recipe: String = recipe, delay: Double = 0, seconds: Double = 3,
        prepare: (TokenServer) -> Void = { _ in }
    ) throws -> (lines: [String], server: TokenServer) {
        let fixture = ScriptFixture()
        let server = try TokenServer(fixture.transport, delay: delay)
        server.valid = 2
        prepare(server)
        try fixture.load(recipe + source)
        fixture.advance(seconds)
        fixture.close()
        #expect(fixture.engine.openRequests == 0)
        return (fixture.lines, server)
    }

    @Test("five requests to five resources, refused together, log in once and are repeated once each")
    func together() throws {
        let (lines, server) = try run("for i = 1, 5 do get('r' .. i) end")
        #expect(lines == (1...5).map { "r\($0)\tr\($0) with t3\t1" })
        #expect(server.logins == 1)
        #expect(server.journal == (1...5).map { "r\($0) t1" } + (1...5).map { "r\($0) t3" })
    }

    @Test("a login that fails, fails all five once, with its error; it came through the same decorator")
    func failing() throws {
        let (lines, server) = try run("for i = 1, 5 do get('r' .. i) end") { $0.loginStatus = 401 }
        #expect(lines == (1...5).map { "r\($0)\tUnauthorized\t1" })
        #expect(server.logins == 1 && server.journal.count == 5)
        let (others, _) = try run("get('a') get('b')") { $0.loginStatus = 503 }
        #expect(others == ["a\tService unavailable\t1", "b\tService unavailable\t1"])
    }

    @Test(
        "what a refresh returns decides",
        arguments: [
            ("return true", "Unauthorized"), ("return 'yes'", "Unauthorized"),
            ("return false", "Unauthorized"),
            ("return nil", "Unauthorized"), ("", "Unauthorized"),
            ("return nil, 'Please log in'", "Please log in"),
            ("return false, rest.error { user_message = 'Mine' }", "Mine"), ("error('boom')", "boom"),
            ("rest.sleep(1) error(rest.error { user_message = 'Raised' })", "Raised"),
            ("local x = nil + 1", "Script error"),
        ])
    func outcomes(body: String, message: String) throws {
        let (lines, server) = try run(
            """
            api:configure(function(c)
              c:decorate_requests(rest.refresh_on(401, function() \(body) end))
            end)
            for i = 1, 3 do
              api:resource("r" .. i):request("GET"):on_failure(function(err) print(err.user_message) end)
            end
            """, recipe: "")
        #expect(
            lines.filter { !$0.hasPrefix("warn: the function of rest.refresh_on returned nothing") }
                == [message, message, message])
        // The requests are only repeated after a success.
        #expect(server.journal.count == (body.contains("true") || body.contains("yes") ? 6 : 3))
    }

    @Test("a late refusal of an old token is repeated without a refresh; a new refusal refreshes again")
    func late() throws {
        let (lines, server) = try run(
            """
            get("a")
            rest.after(0.75, function() get("b") end)
            """, delay: 0.5)
        // b was refused at 1.25, while the login ran from 0.5 to 1.5.
        #expect(lines == ["a\ta with t3\t1", "b\tb with t3\t1"] && server.logins == 1)

        let fixture = ScriptFixture()
        let slow = try TokenServer(fixture.transport)
        slow.valid = 2
        let held = try fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/slow", isHeld: true, .response(401))
        try fixture.load(Self.recipe + "get('slow') get('a')")
        fixture.advance(2)
        #expect(fixture.take() == ["a\ta with t3\t1"])
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/slow", .text(200, "slow"))
        held.go()
        fixture.advance(1)
        #expect(fixture.take() == ["slow\tslow\t1"] && slow.logins == 1)
        fixture.close()
    }

    @Test("a repeat that is refused again fails")
    func again() throws {
        let (lines, server) = try run("get('a')") {
            $0.loginStatus = 200; $0.valid = 2
        }
        #expect(lines == ["a\ta with t3\t1"] && server.logins == 1)
        let (stubborn, _) = try run(
            """
            local n = 0
            api:configure(function(c) c:decorate_requests(rest.refresh_on(401, function() n = n + 1 return true end)) end)
            api:resource("a"):request("GET"):on_failure(function(err) print(err.user_message, n) end)
            """, recipe: "")
        #expect(stubborn == ["Unauthorized\t1"])
    }

    @Test("D6: a waiting request that is cancelled ends so; the others go on")
    func cancelled() throws {
        let (lines, server) = try run(
            """
            local a = get("a")
            get("b")
            rest.after(0.5, function() a:cancel() print(a.is_cancelled, api:resource("a").is_requesting) end)
            """)
        #expect(lines == ["true\ttrue", "a\tRequest cancelled\t1", "b\tb with t3\t1"])
        #expect(server.journal == ["a t1", "b t1", "b t3"])
    }

    @Test("a predicate is asked about each failure, and may raise")
    func predicate() throws {
        let (lines, _) = try run(
            """
            api:configure(function(c)
              c:decorate_requests(rest.refresh_on(function(err)
                print("asked", err.http_status_code, err.url)
                return err.http_status_code == 403
              end, function() print("refresh") return true end))
            end)
            api:resource("a"):request("GET"):on_failure(function(err) print(err) end)
            local b = api:resource("b"):request("GET")
            b:cancel()
            """, recipe: "")
        #expect(
            lines == ["asked\t401\thttps://api.test/v1/a", "GET https://api.test/v1/a: Unauthorized (401)"])
        let (raised, _) = try run(
            """
            api:configure(function(c) c:decorate_requests(rest.refresh_on(function(err) error("boom") end, print)) end)
            api:resource("a"):request("GET"):on_failure(function(err) print(err) end)
            """, recipe: "")
        #expect(raised == ["GET https://api.test/v1/a: Script error: test.lua:1: boom"])
    }

    @Test(
        "a refresh may do anything that waits: jobs, timers, chains, other requests; nothing of it waits for itself",
        arguments: [
            "rest.sleep(0.25) local e, err = login:request('POST'):await() return e, err",
            "local job = rest.spawn(function() return login:request('POST'):await() end) local e, err = job:await() return e, err",
            "local list, err = rest.all { function() return login:request('POST'):await() end } return list, err",
            "local list, err = rest.all { login:request('POST') } return list, err",
            "local e, err = login:request('POST'):chained(function() return rest.pass_to(login:request('POST')) end):await() return e, err",
            "local e, err = login:request('POST'):chained(function() rest.sleep(0.25) login:request('POST'):await() return rest.use_this_response end):await() return e, err",
            "local e, err = api:resource('a'):get() return e, err",
            "local e, err = api:resource('a'):load_if_needed():await() return e, err",
            "local r = rest.custom_request { start = function(c) rest.after(0.25, function() login:request('POST'):on_failure(c) end) end } local e, err = r:start():await() return e, err",
        ])
    func dependencies(body: String) throws {
        let (lines, _) = try run(
            """
            local login = api:resource("login")
            local n = 0
            api:configure(function(c) c:decorate_requests(rest.refresh_on(401, function() n = n + 1 \(body) end)) end)
            api:resource("a"):load():on_failure(function(err) print(err.user_message, n) end)
            """, recipe: "", seconds: 6
        ) { $0.loginStatus = 401 }
        #expect(lines == ["Unauthorized\t1"])
    }

    @Test("two blocks, two services and two decorators of a block have refreshes of their own")
    func separate() throws {
        let (lines, _) = try run(
            """
            local function guard(service, name)
              service:configure(function(c)
                for _, status in ipairs { 401, 403 } do
                  c:decorate_requests(rest.refresh_on(status, function() print(name, status) rest.sleep(1) return true end))
                end
              end)
            end
            local other = rest.service { name = "other", base_url = "https://api.test/v1/other" }
            guard(api, "api") guard(other, "other")
            for _, r in ipairs { api:resource("a"), api:resource("b"), other:resource("c") } do r:load() end
            """, recipe: "")
        #expect(lines == ["api\t401", "other\t401"])
    }

    @Test("made outside of a block, a decorator may be used in several")
    func shared() throws {
        let (lines, _) = try run(
            """
            local n = 0
            local renew = rest.refresh_on(401, function() n = n + 1 rest.sleep(1) return false end)
            api:configure("a", function(c) c:decorate_requests(renew) end)
            api:configure("b", function(c)
              c:decorate_requests(function(resource, request) return renew(resource, request) end)
            end)
            for _, name in ipairs { "a", "b" } do
              api:resource(name):load():on_failure(function(err) print(name, err.user_message, n) end)
            end
            """, recipe: "")
        #expect(lines == ["a\tUnauthorized\t1", "b\tUnauthorized\t1"])
    }

    @Test(
        "a wrong call raises",
        arguments: [
            (
                "rest.refresh_on()",
                "bad argument #1 'predicate' to 'rest.refresh_on' (status or function of the error expected, got no value)"
            ),
            (
                "rest.refresh_on(401)",
                "bad argument #2 'fn' to 'rest.refresh_on' (function expected, got no value)"
            ),
            (
                "rest.refresh_on(4010, print)",
                "bad argument #1 'predicate' to 'rest.refresh_on' (a status is 100 to 599)"
            ),
            (
                "rest.refresh_on(401.5, print)",
                "bad argument #1 'predicate' to 'rest.refresh_on' (number has no integer representation)"
            ),
            (
                "rest.refresh_on(401, print)()",
                "bad argument #1 'resource' to 'rest.refresh_on(…)' (resource expected, got no value)"
            ),
        ])
    func wrongCalls(call: String, message: String) {
        #expect(loadError(call) == "1: \(message)")
    }

    @Test("a script that is closed while a refresh runs ends what waits for it")
    func closed() throws {
        let fixture = ScriptFixture()
        let server = try TokenServer(fixture.transport)
        server.valid = 2
        try fixture.load(Self.recipe)
        let service = try #require(fixture.host?.service(named: "api"))
        let load = service.resource("a").load()
        fixture.settle()
        #expect(load.state == .inProgress && server.logins == 1)
        fixture.close()
        fixture.advance(2)
        #expect(load.info?.response.error?.code == "request_cancelled" && fixture.engine.openRequests == 0)
        service.flushUnusedResources()
    }

    @Test func `a function that returns nothing has forgotten something, which is reported`() throws {
        let forgetful = """
            api:configure("**", function(c)
              c:decorate_requests(rest.refresh_on(401, function() end))
            end)

            """
        let lines = try run(
            "api:resource('a'):request('GET'):on_failure(function(err) print(err.http_status_code) end)",
            recipe: forgetful
        ).lines
        #expect(
            lines == [
                "warn: the function of rest.refresh_on returned nothing, which counts as a failure: 'return true' says "
                    + "that the token is new",
                "401",
            ])
    }
}
