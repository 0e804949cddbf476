import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RefreshGateTests {
    let server: AuthServer
    let journal = Journal()
    var fixture: EngineFixture { server.fixture }

    init() throws { server = try AuthServer() }

    private func outcome(_ request: Request) -> String {
        switch request.info?.response {
        case .success(let entity)?: entity.content.text ?? entity.content.kind
        case .failure(let error)?: error.userMessage
        case nil: request.state.rawValue
        }
    }

    @Test("five requests that are refused together need one refresh, and each is repeated once")
    func together() {
        let requests = server.requests("1", "2", "3", "4", "5", journal: journal)
        fixture.settle()
        #expect(server.refreshes == 1 && journal.lines.isEmpty)
        #expect(requests.allSatisfy { $0.state == .inProgress })
        server.run(1)
        #expect(requests.map(outcome) == ["in", "in", "in", "in", "in"])
        #expect(journal.lines.count { $0.hasSuffix("completion") } == 5)
        #expect(server.refreshes == 1)
        #expect(server.sent == ["1": 2, "2": 2, "3": 2, "4": 2, "5": 2, "login": 1])
        server.requests("6", journal: journal)
        fixture.settle()
        #expect(server.refreshes == 1 && server.sent["6"] == 1)
    }

    @Test(
        "a refresh that fails, fails all that wait for it, once: with its error, or with their own",
        arguments: [true, false])
    func failing(hasError: Bool) {
        server.refresh = { [unowned server] done in
            server.fixture.scheduler.after(1) {
                done(.failed(hasError ? RequestError(userMessage: "No way in", timestamp: 0) : nil))
            }
        }
        let requests = server.requests("1", "2", "3", "4", "5", journal: journal)
        server.run(1)
        let message = hasError ? "No way in" : "Unauthorized"
        #expect(requests.map(outcome) == Array(repeating: message, count: 5))
        #expect(journal.lines.count == 10 && server.refreshes == 1)
        #expect(fixture.transport.requests.count == 5)
    }

    @Test("10.14 a refresh that never ends is given up after its time limit by the next refused request")
    func endless() throws {
        try fixture.configure { $0.configuration.timeouts.total = nil }
        var ends: [@EngineActor (RefreshGate.Outcome) -> Void] = []
        server.refresh = { ends.append($0) }
        let early = server.requests("1", "2", journal: journal)
        server.run(59)
        let late = server.requests("3", journal: journal)
        fixture.settle()
        #expect((early + late).allSatisfy { $0.state == .inProgress } && server.refreshes == 1)
        server.run(1)
        let next = server.requests("4", journal: journal)
        fixture.settle()
        #expect((early + late).map(outcome) == ["Unauthorized", "Unauthorized", "Unauthorized"])
        #expect(fixture.log.contains { $0.category == .warning && $0.text.contains("not ended within 60") })
        #expect(server.refreshes == 2 && next.allSatisfy { $0.state == .inProgress })
        // The first one comes too late, so the second one is used.
        ends[0](.renewed)
        fixture.settle()
        #expect(next.allSatisfy { $0.state == .inProgress })
        ends[1](.failed(RequestError(userMessage: "No way in", timestamp: 0)))
        fixture.settle()
        #expect(next.map(outcome) == ["No way in"] && fixture.scheduler.armedTimers == 0)
    }

    @Test("what was on its way while a refresh failed, fails with it; the next request tries anew")
    func afterFailure() throws {
        let late = try fixture.stub("GET", "late", isHeld: true, .response(401))
        let request = fixture.resource("late").request("GET")
        server.refresh = { $0(.failed(RequestError(userMessage: "No way in", timestamp: 0))) }
        server.requests("1", journal: journal)
        fixture.settle()
        #expect(server.refreshes == 1)
        late.go()
        fixture.settle()
        #expect(outcome(request) == "No way in" && server.refreshes == 1)
        server.requests("2", journal: journal)
        fixture.settle()
        #expect(server.refreshes == 2)
    }

    @Test("a late refusal of an older token is repeated at once, without a refresh")
    func late() throws {
        let late = try fixture.stub("GET", "late", isHeld: true, .response(401))
        let request = fixture.resource("late").request("GET")
        server.requests("1", journal: journal)
        server.run(1)
        #expect(server.refreshes == 1)
        _ = try fixture.stub("GET", "late", .text(200, "late"))
        late.go()
        fixture.settle()
        #expect(outcome(request) == "late" && server.refreshes == 1 && server.sent["late"] == 2)
    }

    @Test("a repeat that is refused again fails; there is no loop")
    func again() {
        server.refresh = { $0(.renewed) }
        let requests = server.requests("1", "2", journal: journal)
        fixture.settle()
        #expect(requests.map(outcome) == ["Unauthorized", "Unauthorized"])
        #expect(server.refreshes == 1 && server.sent == ["1": 2, "2": 2])
    }

    @Test("a request made while the refresh runs waits for it too, or is repeated after it")
    func meanwhile() throws {
        server.requests("1", journal: journal)
        fixture.settle()
        let slow = try fixture.stub("GET", "slow", isHeld: true, .response(401))
        let requests = server.requests("2", "slow", journal: journal)
        fixture.settle()
        #expect(requests.map(outcome) == ["in_progress", "in_progress"] && server.sent["2"] == 1)
        server.run(1)
        #expect(requests.map(outcome) == ["in", "in_progress"])
        _ = try fixture.stub("GET", "slow", .text(200, "in"))
        slow.go()
        fixture.settle()
        #expect(requests.map(outcome) == ["in", "in"] && server.refreshes == 1)
    }

    @Test("D6: a chain that is cancelled while it waits ends cancelled, and the others go on")
    func cancelled() {
        let requests = server.requests("1", "2", "3", journal: journal)
        fixture.settle()
        requests[0].cancel()
        server.run(1)
        #expect(requests.map(outcome) == ["Request cancelled", "in", "in"])
        #expect(server.sent == ["1": 1, "2": 2, "3": 2, "login": 1])
        #expect(!fixture.resource("1").isRequesting)
    }

    @Test("D5: a wipe cancels what waits, and the repeats")
    func wiped() throws {
        let resource = fixture.resource("1")
        let first = resource.load()
        fixture.settle()
        #expect(resource.isRequesting)
        resource.wipe()
        fixture.settle()
        #expect(first.isCancelled)
        server.run(1)
        #expect(server.sent["1"] == 1)
    }

    @Test("other failures, and cancellations, are none of its business")
    func others() throws {
        try fixture.stub("GET", "500", .response(500))
        let requests = server.requests("500", "1", journal: journal)
        requests[1].cancel()
        fixture.settle()
        #expect(requests.map(outcome) == ["Internal server error", "Request cancelled"])
        #expect(server.refreshes == 0)
    }

    @Test("a predicate that throws fails the request")
    func throwing() throws {
        let gate = RefreshGate()
        let url = "https://elsewhere.test/"
        try fixture.transport.stub(method: nil, urlGlob: url, .response(401))
        let request = gate.guarding(
            fixture.service.resource(absoluteURL: url).request("GET"),
            when: { _ in
                throw RequestError.CauseError(.scriptError(RequestError.ScriptFailure(message: "boom")))
            },
            refresh: { _ in Issue.record("refresh") })
        fixture.settle()
        #expect(outcome(request) == "Script error")
    }

    @Test("only the first word of a refresh counts, and it may be said at once")
    func immediate() {
        server.refresh = { [unowned server] done in
            server.token = "new"
            server.fixture.service.invalidateConfiguration()
            done(.renewed)
            done(.failed(nil))
        }
        let requests = server.requests("1", "2", journal: journal)
        fixture.settle()
        #expect(requests.map(outcome) == ["in", "in"] && server.refreshes == 1)
    }

    @Test("9.8: the repeat of a guarded request is guarded, and knows when it was made")
    func repeated() {
        let request = server.requests("1", journal: journal)[0]
        server.run(1)
        #expect(outcome(request) == "in" && server.refreshes == 1)
        server.valid = "newer"
        let again = request.repeated().start()
        server.run(1)
        #expect(outcome(again) == "in" && server.refreshes == 2)
        #expect(server.sent["1"] == 4)
    }
}
