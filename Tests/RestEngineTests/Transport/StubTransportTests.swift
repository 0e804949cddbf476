import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct StubTransportTests {
    let fixture = EngineFixture()

    private final class Inbox {
        var results: [TransportResult] = []
        var statuses: [Int] { results.map { (try? $0.get().status) ?? -1 } }
    }

    private let inbox = Inbox()

    @discardableResult
    private func send(
        _ method: String = "GET", _ url: String = "https://api.test/v1/a", headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) -> any Transfer {
        let request = TransportRequest(method: method, url: url, headers: Headers(headers), body: body)
        return fixture.transport.send(request) { [inbox] in inbox.results.append($0) }
    }

    @Test func `24.7 the newest stub that matches answers`() throws {
        try fixture.stub("GET", "a", .response(200))
        try fixture.stub("GET", "*", .response(201))
        try fixture.stub("POST", "a", .response(202))
        try fixture.transport.stub(method: nil, urlGlob: "https://other.test/**", .response(203))
        send()
        send("POST")
        send("PURGE", "https://other.test/x/y?q=1")
        fixture.settle()
        #expect(inbox.statuses == [201, 202, 203])
    }

    @Test func `24.7 a stub matches when the request is sent, not when it is answered`() throws {
        let old = try fixture.stub("GET", "a", .response(200))
        send()
        let new = try fixture.stub("GET", "a", .response(404))
        fixture.settle()
        #expect(inbox.statuses == [200])
        #expect(old.requests.count == 1 && new.requests.isEmpty)
    }

    @Test func `24.1 an answer comes in the next tick, never at once`() throws {
        try fixture.stub("GET", "a", .response(200))
        send()
        #expect(inbox.results.isEmpty)
        fixture.runTick()
        #expect(inbox.statuses == [200])
    }

    @Test func `a delayed answer waits for its time`() throws {
        try fixture.stub("GET", "a", .response(200, delay: .seconds(2)))
        send()
        fixture.advance(1.5)
        #expect(inbox.results.isEmpty)
        fixture.advance(0.5)
        #expect(inbox.statuses == [200])
    }

    @Test func `24.7 a held stub answers after go, and at once from then on`() throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .response(200, delay: .seconds(1)))
        send()
        fixture.advance(5)
        #expect(inbox.results.isEmpty)
        stub.go()
        #expect(inbox.results.isEmpty)
        fixture.runTick()
        #expect(inbox.statuses == [200])
        send()
        stub.go()
        fixture.settle()
        #expect(inbox.statuses == [200])
        fixture.advance(1)
        #expect(inbox.statuses == [200, 200])
    }

    @Test func `nothing arrives after cancel`() throws {
        let held = try fixture.stub("GET", "held", isHeld: true, .response(200))
        try fixture.stub("GET", "late", .response(200, delay: .seconds(1)))
        try fixture.stub("GET", "now", .response(200))
        let transfers = ["held", "late", "now"].map { send("GET", "https://api.test/v1/\($0)") }
        for transfer in transfers { transfer.cancel() }
        #expect(fixture.scheduler.armedTimers == 0)
        held.go()
        fixture.advance(2)
        #expect(inbox.results.isEmpty)
        #expect(fixture.transport.transfersInFlight == 0)
    }

    @Test(
        arguments: [
            (["X-Key": StubCondition.Header.value("1")], nil, [201, 200, 200]),
            (["x-key": .absent], nil, [200, 201, 201]),
            ([:], Array("b".utf8), [200, 200, 201]),
            (["x-key": .absent], Array("b".utf8), [200, 200, 201]),
        ] as [([String: StubCondition.Header], [UInt8]?, [Int])])
    func `24.7 conditions on headers and body`(
        headers: [String: StubCondition.Header], body: [UInt8]?, statuses: [Int]
    ) throws {
        try fixture.stub("POST", "a", .response(200))
        try fixture.stub("POST", "a", when: StubCondition(headers: headers, body: body), .response(201))
        send("POST", headers: [("X-KEY", "1")])
        send("POST", body: Array("a".utf8))
        send("POST", body: Array("b".utf8))
        fixture.settle()
        #expect(inbox.statuses == statuses)
    }

    @Test func `24.7 what has no stub fails with its method and URL`() throws {
        send("DELETE", "https://api.test/v1/x?y=1")
        fixture.settle()
        #expect(throws: TransportError(.internal, message: "no stub for DELETE https://api.test/v1/x?y=1")) {
            try inbox.results[0].get()
        }
        #expect(fixture.transport.unmatched.map(\.url) == ["https://api.test/v1/x?y=1"])
        fixture.transport.clear()
        #expect(fixture.transport.unmatched.isEmpty && fixture.transport.requests.isEmpty)
    }

    @Test func `a reply is made of its request, and progress is what the stub says`() throws {
        let stub = try fixture.transport.stub(method: "POST", urlGlob: "**", isHeld: true) { request in
            .response(200, body: request.body ?? [])
        }
        let transfer = send("POST", body: [1, 2])
        stub.progress.bytesReceived = 1
        #expect(transfer.progress.bytesReceived == 1)
        stub.go()
        fixture.settle()
        #expect(try inbox.results.first?.get().body == [1, 2])
    }

    @Test func `a body beyond the request's limit is an error`() throws {
        try fixture.stub("GET", "a", .response(body: [1, 2, 3]))
        var request = TransportRequest(url: "https://api.test/v1/a")
        request.maxBodyBytes = 2
        _ = fixture.transport.send(request) { [inbox] in inbox.results.append($0) }
        fixture.settle()
        #expect(
            throws: TransportError(
                .tooLarge, phase: .receive, message: "the body is larger than 2 bytes", limit: 2)
        ) {
            try inbox.results[0].get()
        }
    }

    @Test func `what has no stub is reported at once`() throws {
        try fixture.stub("GET", "a", .response())
        var notified: [String] = []
        fixture.transport.onUnmatched = { notified.append($0.url) }
        send()
        send("GET", "https://api.test/v1/b")
        #expect(notified == ["https://api.test/v1/b"])
        fixture.settle()
        fixture.transport.onUnmatched = nil
    }

    @Test func `one reply of a stub may be held alone, and go opens for good`() throws {
        var isFirst = true
        let stub = try fixture.transport.stub(method: "GET", urlGlob: "**") { _ in
            defer { isFirst = false }
            return StubReply(.success(TransportResponse(status: isFirst ? 200 : 201)), isHeld: isFirst)
        }
        send()
        send()
        fixture.settle()
        #expect(inbox.statuses == [201] && stub.heldRequests == 1)
        isFirst = true
        stub.go()
        send()
        fixture.settle()
        #expect(inbox.statuses == [201, 200, 200] && stub.heldRequests == 0)
    }

    @Test func `what is sent in a pause looks for its stub in the tick after it`() throws {
        fixture.transport.pause()
        send()
        let cancelled = send("GET", "https://api.test/v1/b")
        fixture.transport.resume()
        let stub = try fixture.stub("GET", "*", .response(202))
        send("GET", "https://api.test/v1/c")
        #expect(stub.requests.map(\.url) == ["https://api.test/v1/c"])
        cancelled.cancel()
        fixture.settle()
        #expect(stub.requests.map(\.url) == ["https://api.test/v1/c", "https://api.test/v1/a"])
        #expect(inbox.statuses == [202, 202] && fixture.transport.transfersInFlight == 0)
    }

    @Test func `stubs tell which requests they are for`() throws {
        let stub = try fixture.stub("POST", "a", when: StubCondition(body: [1]), .response())
        let request = TransportRequest(method: "POST", url: "https://api.test/v1/a")
        let url = try #require(URLText(request.url))
        #expect(stub.method == "POST" && stub.pattern.text == "a")
        #expect(stub.hasAddress(of: request, url))
        #expect(fixture.transport.stubs.map { $0 === stub } == [true])
    }
}
