import RestEngine
import TestSupport
import Testing

/// A refresh and the requests that it waits for never wait for each other.
@Suite(.leakChecked) @EngineActor
struct RefreshDependencyTests {
    let server: AuthServer
    let journal = Journal()
    var fixture: EngineFixture { server.fixture }

    init() throws { server = try AuthServer() }

    /// One refused request, and a server that accepts no token.
    private func expectUnauthorized(seconds: Double = 2, refreshes: Int = 1) throws {
        try fixture.stub("POST", "login", .response(401))
        server.requests("1", journal: journal)
        server.run(seconds)
        #expect(journal.lines == ["1 completion", "1 failure Unauthorized"])
        #expect(server.refreshes == refreshes && fixture.engine.openRequests == 0)
    }

    @Test("a login that is refused itself, through the same decorator, ends the refresh")
    func login() throws {
        try expectUnauthorized()
    }

    @Test("the same for a login in a later tick, or after a timer")
    func later() throws {
        server.refresh = { [unowned server] done in
            server.fixture.scheduler.nextTick {
                server.fixture.scheduler.after(1) { server.login { done($0 ? .renewed : .failed(nil)) } }
            }
        }
        try expectUnauthorized()
    }

    @Test("the same for a login that a hook of another request makes")
    func hook() throws {
        server.refresh = { [unowned server] done in
            server.fixture.resource("login").request("POST").onCompletion { _ in
                server.login { done($0 ? .renewed : .failed(nil)) }
            }
        }
        try expectUnauthorized()
    }

    @Test("the same for a login that a chain's closure makes")
    func chain() throws {
        server.refresh = { [unowned server] done in
            server.fixture.resource("login").request("POST")
                .chained { [unowned server] _ in .passTo(server.fixture.resource("login").request("POST")) }
                .onFailure { done(.failed($0)) }
        }
        try expectUnauthorized()
    }

    @Test("a refresh that waits for the very request that waits for it")
    func join() throws {
        server.refresh = { [unowned server] done in
            server.fixture.resource("1").read { result in
                if case .failure(let error) = result { done(.failed(error)) } else { done(.renewed) }
            }
        }
        let load = journal.follow(fixture.resource("1").load())
        fixture.settle()
        #expect(load.info?.response.error?.httpStatusCode == 401)
        #expect(journal.lines == ["completion", "failure Unauthorized"] && server.refreshes == 1)
    }

    @Test("a refresh that waits for a request that is on its way to wait for it")
    func joinInFlight() throws {
        let held = try fixture.stub("GET", "2", isHeld: true, .response(401))
        let slow = fixture.resource("2").load()
        server.refresh = { [unowned server] done in
            server.fixture.resource("2").read { result in
                if case .failure(let error) = result { done(.failed(error)) } else { done(.renewed) }
            }
        }
        server.requests("1", journal: journal)
        fixture.settle()
        #expect(journal.lines.isEmpty)
        held.go()
        fixture.settle()
        #expect(slow.info?.response.error?.httpStatusCode == 401)
        #expect(journal.lines == ["1 completion", "1 failure Unauthorized"] && server.refreshes == 1)
    }

    @Test("a refresh that waits for a chain of somebody else's, which waits for it")
    func joinChain() throws {
        let load = fixture.resource("1").load()
        let chain = load.chained { _ in .useThisResponse }
        server.refresh = { done in chain.onFailure { done(.failed($0)) } }
        fixture.settle()
        #expect(chain.info?.response.error?.httpStatusCode == 401 && server.refreshes == 1)
    }

    @Test("two gates whose refreshes need each other's requests")
    func twoGates() throws {
        let other = RefreshGate()
        try fixture.configure("other/**") { $0.configuration.decorators.removeAll() }
        try server.configure("other/**", other) { [unowned server] done in
            server.fixture.resource("1").request("GET").onCompletion { _ in done(.failed(nil)) }
        }
        server.refresh = { [unowned server] done in
            server.fixture.resource("other/2").request("GET").onCompletion { _ in done(.failed(nil)) }
        }
        server.requests("1", "other/1", journal: journal)
        fixture.settle()
        #expect(fixture.engine.openRequests == 0 && server.refreshes == 2)
        #expect(
            journal.lines.sorted() == [
                "1 completion", "1 failure Unauthorized", "other/1 completion",
                "other/1 failure Unauthorized",
            ])
    }

    @Test("what a hook of a bystander makes is no part of the refresh, whoever ended the request")
    func bystander() throws {
        let login = fixture.resource("login")
        var late: Request?
        server.refresh = { [unowned server] done in
            // A hook of other code on the refresh's own login.
            server.fixture.scheduler.nextTick {
                login.allRequests.first?.onSuccess { [unowned server] _ in
                    late = server.fixture.resource("2").request("GET")
                }
            }
            server.login { done($0 ? .renewed : .failed(nil)) }
        }
        server.requests("1", journal: journal)
        server.run(1)
        #expect(late?.info?.response.error == nil)
        #expect(journal.lines.first == "1 completion" && journal.lines.last == "1 new_data")
        late = nil
    }

    @Test("what a refresh made and left behind is ordinary once it is over")
    func leftBehind() throws {
        let held = try fixture.stub("GET", "2", isHeld: true, .response(401))
        var left: Request?
        server.refresh = { [unowned server] done in
            left = server.fixture.resource("2").request("GET")
            server.login { done($0 ? .renewed : .failed(nil)) }
        }
        server.requests("1", journal: journal)
        server.run(1)
        #expect(journal.lines.last == "1 new_data")
        _ = try fixture.stub("GET", "2", .text(200, "in"))
        held.go()
        fixture.settle()
        #expect(left?.info?.response.entity?.content.text == "in" && server.refreshes == 1)
        left = nil
    }
}
