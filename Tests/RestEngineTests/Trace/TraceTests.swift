import TestSupport
import Testing

@testable import RestEngine

/// Traces (rules 59).
@Suite(.leakChecked) @EngineActor
struct TraceTests {
    let fixture = EngineFixture()
    private nonisolated static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private nonisolated static let parent = "00-\(id)-00f067aa0ba902b7-01"

    @Test(arguments: [
        (parent, true), ("00-\(id)-00f067aa0ba902b7-00", true), ("cc-\(id)-00f067aa0ba902b7-01", true),
        ("cc-\(id)-00f067aa0ba902b7-01-what-comes", true), ("00-\(id)-00f067aa0ba902b7-01-x", false),
        ("cc-\(id)-00f067aa0ba902b7-01x", false), ("ff-\(id)-00f067aa0ba902b7-01", false),
        ("00-\(id.uppercased())-00f067aa0ba902b7-01", false), ("00-\(id)-0000000000000000-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-\(id)-00f067aa0ba902b7", false),
        ("", false), ("00-\(id)-00f067aa0ba902b7-0g", false), (" \(parent)", false),
    ])
    nonisolated func `59.4 what is no traceparent counts as none`(text: String, isSound: Bool) {
        let context = TraceContext(parent: text)
        #expect((context != nil) == isSound)
        if let context {
            #expect(TraceContext(parent: context.parent) == context && context.traceID == Self.id)
        }
    }

    @Test func `59.4 tracestate goes along, several traceparents are none`() throws {
        let twice = Headers([("traceparent", Self.parent), ("traceparent", Self.parent)])
        #expect(TraceContext(twice) == nil)
        let states = Headers([("traceparent", Self.parent), ("tracestate", "a=1"), ("tracestate", "b=2")])
        #expect(TraceContext(states)?.state == "a=1,b=2")
        let long = String(repeating: "x", count: 513)
        #expect(TraceContext(parent: Self.parent, state: long)?.state == nil)
    }

    private func spans(_ body: () throws -> Void) throws -> [TraceSpan?] {
        var spans: [TraceSpan?] = []
        let subscription = fixture.engine.onEvent([.attempt]) { event in
            if case .attempt(let attempt) = event.detail { spans.append(attempt.span) }
        }
        defer { subscription.cancel() }
        try body()
        fixture.settle()
        return spans
    }

    private func sent(_ index: Int) -> TraceContext? {
        TraceContext(fixture.transport.requests[index].headers)
    }

    @Test func `59.1 nothing is sent unless a block says so`() throws {
        try fixture.stub("GET", "a", .response())
        let spans = try spans {
            WorkScope.serving(RequestOrigin(trace: TraceContext(parent: Self.parent))) {
                _ = fixture.resource("a").load()
            }
        }
        #expect(spans == [nil] && !fixture.transport.requests[0].headers.contains("traceparent"))
    }

    @Test func `59.3 each attempt is a span of one trace, whose id the server gets`() throws {
        fixture.service.configure {
            $0.isTraced = true
            $0.retry = RetryPolicy()
        }
        fixture.engine.random = { 0 }
        try fixture.stub("GET", "a", .response(503))
        let spans = try spans { fixture.resource("a").load() }.compactMap(\.self)
        #expect(spans.count == 3 && Set(spans.map(\.context.traceID)).count == 1)
        #expect(Set(spans.map(\.context.spanID)).count == 3 && spans.allSatisfy { $0.parentID == nil })
        #expect((0..<3).map { sent($0)?.spanID } == spans.map { $0.context.spanID })
        #expect(sent(0)?.isSampled == true)
    }

    @Test func `59.1 it goes on with the trace of who asked, or of a header`() throws {
        fixture.service.configure { $0.isTraced = true }
        try fixture.stub("GET", "a", .response())
        let spans = try spans {
            WorkScope.serving(RequestOrigin(trace: TraceContext(parent: Self.parent, state: "v=1"))) {
                _ = fixture.resource("a").load()
            }
            fixture.resource("a").request("GET", headers: ["traceparent": Self.parent])
        }.compactMap(\.self)
        #expect(spans.count == 2)
        #expect(spans.allSatisfy { $0.context.traceID == Self.id && $0.parentID == "00f067aa0ba902b7" })
        #expect(sent(0)?.state == "v=1" && sent(0)?.spanID != "00f067aa0ba902b7")
        #expect(fixture.transport.requests[1].headers.values("traceparent").count == 1)
    }

    @Test func `59.2 another origin gets no trace, unless it may know`() throws {
        fixture.service.configure { $0.isTraced = true }
        let moved = StubReply.response(302, headers: Headers([("Location", "https://other.example/")]))
        try fixture.stub("GET", "a", moved)
        try fixture.transport.stub(method: "GET", urlGlob: "https://other.example/**", .response())
        let spans = try spans { fixture.resource("a").load() }
        #expect(spans.count == 2 && spans[1] != nil && sent(0) != nil && sent(1) == nil)
        fixture.service.configure { $0.redirects.keepHeaders = ["traceparent"] }
        fixture.resource("a").load()
        fixture.settle()
        #expect(sent(3) != nil)
    }
}
