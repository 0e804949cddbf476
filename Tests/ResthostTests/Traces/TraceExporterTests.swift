import Gateway
import RestEngine
import TestSupport
import Testing

@testable import resthost

@Suite(.leakChecked) @EngineActor
struct TraceExporterTests {
    let fixture = EngineFixture()
    let collector = StreamTransport()
    let complaints = Journal()

    private func exporter() throws -> TraceExporter {
        let exporter = TraceExporter(
            try TraceCollector("http://collector.test"), transport: collector, scheduler: fixture.scheduler
        ) { [complaints] in complaints.note($0) }
        exporter.listen(to: fixture.engine)
        return exporter
    }

    /// The spans of a batch, in the order in which they ended.
    private func spans(_ batch: Int = 0) throws -> [Tree] {
        try #require(collector.streams.count > batch)
        let document = try Tree(json: try #require(collector.streams[batch].request.body))
        let spans = document["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]
        return Array(spans?.elements ?? Tree.null.elements)
    }

    private func attribute(_ name: String, _ span: Tree) -> String? {
        let value = span["attributes"]?.elements.first { $0["key"]?.string == name }?["value"]
        return value?["stringValue"]?.string ?? value?["intValue"]?.string
    }

    private func answer(_ batch: Int, _ status: Int, _ body: String = "{}") {
        collector.streams[batch].complete(
            .success(TransportResponse(status: status, body: Array(body.utf8))))
        fixture.settle()
    }

    @Test func `70.1 a request is a span, and each of its messages one below it`() throws {
        try fixture.stub("GET", "a", .response(302, headers: ["Location": "/v1/b?token=s3cret"]))
        try fixture.stub("GET", "b", .json(500, "{}"))
        let exporter = try exporter()
        fixture.resource("a").load()
        fixture.settle()
        #expect(collector.streams.isEmpty)
        fixture.advance(5)
        let spans = try spans()
        #expect(spans.map { $0["kind"]?.int } == [3, 3, 1])
        #expect(Set(spans.map { $0["traceId"]?.string }).count == 1)
        #expect(Set(spans.map { $0["spanId"]?.string }).count == 3)
        #expect(spans[0]["traceId"]?.string?.count == 32 && spans[0]["spanId"]?.string?.count == 16)
        #expect(spans[0]["parentSpanId"] == spans[2]["spanId"] && spans[2]["parentSpanId"] == nil)
        #expect(spans[1]["parentSpanId"] == spans[2]["spanId"])
        #expect(spans.map { $0["name"]?.string } == ["GET", "GET", "GET api"])
        #expect(spans.map { attribute("http.response.status_code", $0) } == ["302", "500", "500"])
        #expect(spans.map { attribute("error.type", $0) } == [nil, "500", "http_5xx"])
        #expect(attribute("resthost.reason", spans[1]) == "redirect")
        #expect(attribute("http.request.resend_count", spans[1]) == "1")
        #expect(attribute("server.address", spans[1]) == "api.test")
        #expect(attribute("server.port", spans[1]) == "443")
        #expect(!"\(spans)".contains("s3cret"))
        let times = spans.flatMap { span in
            ["startTimeUnixNano", "endTimeUnixNano"].compactMap { span[$0]?.string }.compactMap { Int64($0) }
        }
        #expect(times.count == 6 && times[0] <= times[1])
        answer(0, 200)
        withExtendedLifetime(exporter) {}
    }

    @Test(arguments: ["01", "00"])
    func `70.1 70.2 a traced request lies below the span that it was made for, if that is recorded`(
        flags: String
    ) throws {
        try fixture.stub("GET", "a", .json(200, "{}"))
        fixture.service.configure { $0.isTraced = true }
        let exporter = try exporter()
        let trace = "0af7651916cd43dd8448eb211c80319c"
        let parent = TraceContext(parent: "00-\(trace)-b7ad6b7169203331-\(flags)")
        WorkScope.serving(RequestOrigin(trace: parent)) { _ = fixture.resource("a").load() }
        fixture.settle()
        fixture.advance(5)
        let sent = TraceContext(try #require(fixture.transport.requests.first).headers)
        guard flags == "01" else {
            #expect(collector.streams.isEmpty)
            return
        }
        let spans = try spans()
        #expect(spans.map { $0["traceId"]?.string } == [trace, trace])
        #expect(spans[0]["spanId"]?.string == sent?.spanID)
        #expect(spans[1]["parentSpanId"]?.string == "b7ad6b7169203331")
        answer(0, 200)
        withExtendedLifetime(exporter) {}
    }

    @Test func `70.3 what a collector can't take now it gets again, later and later`() throws {
        try fixture.stub("GET", "a", .json(200, "{}"))
        let exporter = try exporter()
        fixture.resource("a").load()
        fixture.settle()
        fixture.advance(5)
        answer(0, 503)
        #expect(
            complaints.lines == ["the collector of traces answers with 503 Service Unavailable; spans wait"])
        fixture.advance(9.5)
        #expect(collector.streams.count == 1)
        fixture.advance(1)
        answer(1, 429)
        fixture.advance(19.5)
        #expect(collector.streams.count == 2)
        fixture.advance(1)
        #expect(try spans(2) == spans(0))
        answer(2, 200)
        fixture.advance(600)
        #expect(collector.streams.count == 3 && complaints.lines.count == 1)
        withExtendedLifetime(exporter) {}
    }

    @Test func `70.3 what it refuses is lost, and reported`() throws {
        try fixture.stub("GET", "*", .json(200, "{}"))
        let exporter = try exporter()
        fixture.resource("a").load()
        fixture.settle()
        fixture.advance(5)
        answer(0, 400)
        fixture.resource("b").load()
        fixture.settle()
        fixture.advance(5)
        answer(1, 200, #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#)
        fixture.advance(60)
        fixture.resource("c").load()
        fixture.settle()
        fixture.advance(5)
        answer(2, 200, #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#)
        #expect(
            complaints.lines == [
                "the collector of traces answers with 400 Bad Request; 2 spans are lost",
                "the collector of traces did not take all: too old; 2 spans are lost",
            ])
        withExtendedLifetime(exporter) {}
    }

    @Test func `70.3 a full batch goes out at once, and what waits is bounded`() throws {
        try fixture.stub("GET", "*", .json(200, "{}"))
        let exporter = try exporter()
        for number in 0..<1200 {
            fixture.resource("\(number)").load()
            fixture.settle()
        }
        #expect(collector.streams.count == 1)
        #expect(try spans().count == 512)
        collector.streams[0].complete(.failure(TransportError(.connectionFailed, message: "nobody")))
        fixture.settle()
        #expect(complaints.lines.count == 1)
        fixture.advance(10)
        #expect(try spans(1).count == 512)
        answer(1, 400)
        #expect(complaints.lines.count == 1)
        for batch in 2...4 {
            #expect(collector.streams.count == batch + 1)
            answer(batch, 200)
        }
        #expect(collector.streams.count == 5)
        withExtendedLifetime(exporter) {}
    }

    @Test func `70.4 the end waits for what is under way, and not for a collector that is away`() async throws
    {
        try fixture.stub("GET", "*", .json(200, "{}"))
        let exporter = try exporter()
        await exporter.finish()
        fixture.resource("a").load()
        fixture.settle()
        let end = Task { await exporter.finish() }
        await yielding(until: "something is sent") { !collector.streams.isEmpty }
        answer(0, 502)
        await fixture.finish(end)
        #expect(
            complaints.lines == ["the collector of traces answers with 502 Bad Gateway; 2 spans are lost"])
    }

    @Test func `70.4 the end comes in three seconds, whatever a collector does`() async throws {
        try fixture.stub("GET", "*", .json(200, "{}"))
        let exporter = try exporter()
        fixture.resource("a").load()
        fixture.settle()
        let end = Task { await exporter.finish() }
        await yielding(until: "something is sent") { !collector.streams.isEmpty }
        fixture.advance(2.5)
        #expect(complaints.lines.isEmpty)
        fixture.advance(1)
        await fixture.finish(end)
        #expect(complaints.lines == ["the collector of traces takes too long; 2 spans are lost"])
        collector.end()
    }

    @Test func `70.6 a client's request is a span, and those of the engine lie below it`() throws {
        try fixture.stub("GET", "a", .json(200, "{}"))
        let exporter = try exporter()
        let span = TraceSpan(
            below: TraceContext(
                parent: "00-\(String(repeating: "a", count: 32))-\(String(repeating: "b", count: 16))-01"))
        WorkScope.serving(RequestOrigin(trace: span.context)) { _ = fixture.resource("a").load() }
        fixture.settle()
        let sent = try #require(fixture.transport.requests.first).headers
        #expect(sent["traceparent"] == nil, "the configuration doesn't trace")
        fixture.advance(5)
        let below = try spans()
        #expect(below.map { $0["traceId"]?.string } == [span.context.traceID, span.context.traceID])
        #expect(below[1]["parentSpanId"]?.string == span.context.spanID)
        let record = AccessRecord(
            client: "127.0.0.1", method: "GET", target: "/api/a?token=s3cret&b=1", status: 502, bytes: 7,
            duration: 0.5, endedAt: 1000)
        var odd = record
        odd.method = "STRANGE"
        let strange = OTLPSpan.served(odd, as: span)
        #expect(strange["name"]?.string == "HTTP" && attribute("http.request.method", strange) == "_OTHER")
        #expect(attribute("http.request.method_original", strange) == "STRANGE")
        let served = OTLPSpan.served(record, as: span)
        #expect(served["kind"]?.int == 2 && served["name"]?.string == "GET")
        #expect(served["spanId"]?.string == span.context.spanID)
        #expect(served["parentSpanId"]?.string == String(repeating: "b", count: 16))
        #expect(served["startTimeUnixNano"]?.string == "999500000000")
        #expect(served["endTimeUnixNano"]?.string == "1000000000000")
        #expect(attribute("url.path", served) == "/api/a" && attribute("error.type", served) == "502")
        #expect(attribute("url.query", served)?.hasSuffix("&b=1") == true && !"\(served)".contains("s3cret"))
        answer(0, 200)
        withExtendedLifetime(exporter) {}
    }

    @Test func `70.5 where it goes, and with what`() throws {
        let variables = [
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x = y", "OTEL_SERVICE_NAME": "shop",
        ]
        let collector = try TraceCollector("http://a:4318/") { variables[$0] }
        #expect(collector.url == "http://a:4318/v1/traces")
        #expect(collector.headers["api-key"] == "a b" && collector.headers["x"] == "y")
        #expect(collector.document([]).text.contains("shop"))
        #expect(try TraceCollector("https://a/otlp").url == "https://a/otlp")
        for address in ["", "a", "ftp://a", "http://", "http://a/?b"] {
            #expect(throws: TraceCollector.Fault.self) { try TraceCollector(address) }
        }
        for headers in ["a", "a b=c", "a=%00", "=b"] {
            #expect(throws: TraceCollector.Fault.self) { try TraceCollector("http://a") { _ in headers } }
        }
    }
}
