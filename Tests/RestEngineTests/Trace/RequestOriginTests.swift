import TestSupport
import Testing

@testable import RestEngine

/// Work on behalf of a client's request (rules 74).
@Suite(.leakChecked) @EngineActor
struct RequestOriginTests {
    let fixture = EngineFixture()
    private let origin = RequestOrigin(
        trace: TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), id: "one")

    private var ids: [String?] { fixture.transport.requests.map { $0.headers["X-Request-Id"] } }

    @Test func `74.2 later work of a request belongs to it, work of the host to none`() throws {
        for path in ["a", "b", "c"] { try fixture.stub("GET", path, .response()) }
        WorkScope.serving(origin) {
            fixture.engine.scheduler.nextTick { [self] in
                fixture.resource("a").load().onCompletion { [self] _ in fixture.resource("b").load() }
            }
        }
        fixture.settle()
        fixture.resource("c").load()
        fixture.settle()
        #expect(ids == ["one", "one", nil])
    }

    @Test
    func `74.2 a header of the configuration or of the caller goes before it, and an option turns it off`()
        throws
    {
        for path in ["a", "b", "c"] { try fixture.stub("GET", path, .response()) }
        fixture.service.configure("/a") { $0.headers.set("X-Request-ID", "own") }
        fixture.service.configure("/b") { $0.sendsRequestID = false }
        WorkScope.serving(origin) {
            fixture.resource("a").load()
            fixture.resource("b").load()
            var options = RequestOptions()
            options.headers.set("x-request-id", "mine")
            fixture.resource("c").request("GET", options)
        }
        fixture.settle()
        #expect(ids == ["own", nil, "mine"])
    }

    @Test func `74.2 repeats and redirects have the same ID, another origin gets none`() throws {
        try fixture.stub(
            "GET", "a", .response(302, headers: Headers([("Location", "b")])))
        try fixture.stub(
            "GET", "b", .response(302, headers: Headers([("Location", "https://other.test/c")])))
        try fixture.stub("GET", "https://other.test/c", .response())
        WorkScope.serving(origin) { _ = fixture.resource("a").load() }
        fixture.settle()
        #expect(ids == ["one", "one", nil])
        try fixture.stub("GET", "d", .response())
        let first = WorkScope.serving(origin) { fixture.resource("d").request("GET") }
        fixture.settle()
        first.repeated().start()
        fixture.settle()
        #expect(ids.suffix(2) == ["one", "one"])
    }

    @Test func `74.2 what goes on for all who observe belongs to no client`() throws {
        try fixture.stub("GET", "a", .response())
        fixture.service.configure { $0.refreshSeconds = 10 }
        let resource = fixture.resource("a")
        WorkScope.serving(origin) {
            resource.addObserver(owner: fixture) { _, event in
                if case .newData = event { #expect(WorkScope.requestID == nil) }
            }
            resource.load()
        }
        fixture.settle()
        fixture.advance(11)
        #expect(ids == ["one", nil])
        resource.removeObservers(ownedBy: fixture)
    }

    @Test func `46.2 events name the client's request`() throws {
        try fixture.stub("GET", "a", .response())
        var named: [String] = []
        let subscription = fixture.engine.onEvent([.request, .attempt, .response]) { event in
            named.append(
                "\(event.kind.rawValue) \(event.requestID ?? "-") \(event.tree["request_id"] != nil)")
        }
        WorkScope.serving(origin) { _ = fixture.resource("a").load() }
        fixture.settle()
        subscription.cancel()
        #expect(named == ["request one true", "attempt one true", "response one true"])
    }

    @Test(arguments: [
        ("a", true), ("A.b_c-9", true), (String(repeating: "x", count: 128), true), ("", false),
        ("a b", false), ("a/b", false), ("ä", false), (String(repeating: "x", count: 129), false),
        ("a\n", false),
    ])
    nonisolated func `74.1 1 to 128 letters, digits, dots, underscores and hyphens`(
        text: String, isValid: Bool
    ) { #expect(RequestID.isValid(text) == isValid) }
}
