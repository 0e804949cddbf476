import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RepeatTests {
    let fixture = EngineFixture()
    let journal = Journal()

    @Test func `9.1 9.4 a repeat is a new request, not started, without hooks`() throws {
        try fixture.stub("GET", "a", .text(200, "1"))
        let request = journal.follow(fixture.resource("a").request("GET"))
        fixture.settle()
        _ = journal.take()
        try fixture.stub("GET", "a", .text(200, "2"))
        let again = request.repeated()
        #expect(again !== request && again.state == .notStarted && again.progress == 0)
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        again.start()
        fixture.settle()
        #expect(journal.lines.isEmpty)
        #expect(again.info?.response.entity?.content.text == "2")
        #expect(request.info?.response.entity?.content.text == "1")
    }

    @Test func `an error says which attempt of its call it was`() throws {
        try fixture.stub("GET", "a", .response(500))
        let first = fixture.resource("a").request("GET")
        let second = first.repeated().start()
        let third = second.repeated().start()
        fixture.settle()
        #expect([first, second, third].map { $0.info?.response.error?.attempt } == [1, 2, 3])
    }

    @Test func `9.2 9.3 a repeat is built again, not decorated again`() throws {
        try fixture.stub("POST", "a", .response())
        let journal = journal
        journal.note("old")
        try fixture.configure { draft in
            draft.configuration.headers.set("Authorization", journal.take()[0])
            draft.configuration.mutators.append { $0.headers.add("X-Mutator", "m") }
            draft.configuration.decorators.append { _, request in
                journal.note("decorator")
                return request
            }
        }
        var runs = 0
        var options = RequestOptions()
        options.mutate = { draft in
            runs += 1
            #expect(!draft.headers.contains("X-Mine"))
            draft.headers.add("X-Mine", "\(runs)")
        }
        let request = fixture.resource("a").request("POST", options)
        fixture.settle()
        #expect(journal.take() == ["decorator"])
        journal.note("new")
        fixture.service.invalidateConfiguration()
        request.repeated().start()
        fixture.settle()
        let sent = fixture.transport.requests
        #expect(sent.map { $0.headers["Authorization"] } == ["old", "new"])
        #expect(sent.map { $0.headers.values("X-Mine") } == [["1"], ["2"]])
        #expect(sent.map { $0.headers.values("X-Mutator") } == [["m"], ["m"]])
        #expect(journal.lines.isEmpty)
    }

    @Test func `9.5 a repeated load is a request, no load`() throws {
        try fixture.stub("GET", "a", .text(200, "1"))
        let resource = fixture.resource("a")
        let load = resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .text(200, "2"))
        load.repeated().start()
        #expect(!resource.isLoading)
        fixture.settle()
        #expect(resource.latestData?.content.text == "1")
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `9.6 D5 a repeat counts as a request from start to end`() throws {
        try fixture.stub("POST", "a", .response())
        let resource = fixture.resource("a")
        let request = resource.request("POST")
        fixture.settle()
        let again = request.repeated()
        #expect(!resource.isRequesting)
        again.start()
        #expect(resource.allRequests.map(ObjectIdentifier.init) == [ObjectIdentifier(again)])
        fixture.settle()
        #expect(!resource.isRequesting)
    }

    @Test func `9.6 D5 a wipe cancels repeats`() throws {
        try fixture.stub("POST", "a", .response())
        let resource = fixture.resource("a")
        let request = resource.request("POST")
        fixture.settle()
        let again = request.repeated().start()
        resource.wipe()
        #expect(again.isCancelled)
        fixture.settle()
    }

    @Test func `9.7 the ETag of a repeat is that of the data at that time`() throws {
        let resource = fixture.resource("a")
        try fixture.stub("GET", "a", .response(headers: Headers([("ETag", "\"1\"")])))
        let load = resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .response(304))
        load.repeated().start()
        fixture.settle()
        resource.wipe()
        load.repeated().start()
        fixture.settle()
        #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
    }

    @Test func `9.9 11.5 a hard-wired request repeats itself`() {
        let request = fixture.resource("a").failedRequest(.unparsableImage, method: "GET")
        #expect(request.repeated() === request)
    }
}
