import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import resthost

/// `run --traces` (rules 70).
struct TraceCommandTests {
    @Test func `70.1 the first requests of a script have spans too`() async throws {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() api:resource(\"/a\"):load():await() end)")
        let outcome = await folder.run("run", "main.lua", "--admin", "off", "--traces", peer.baseURL)
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        withExtendedLifetime(peer) {}
        let text = String(decoding: try #require(bodies.all.first), as: UTF8.self)
        #expect(text.contains("\"GET api\"") && text.contains("\"kind\":3"), "\(text)")
    }

    @Test func `70.4 a missing collector is reported, and delays nothing`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response(body: []) }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() api:resource(\"/a\"):load():await() end)")
        let outcome = await folder.run(
            "run", "main.lua", "--admin", "off", "--traces", "http://127.0.0.1:1")
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("the collector of traces can't be reached"), "\(outcome.errors)")
        let wrong = await folder.run("run", "main.lua", "--traces", "ftp://x")
        #expect(wrong.code == 2 && wrong.errors.contains("--traces"), "\(wrong.errors)")
    }

    @Test func `70.6 requests of clients are spans, over those that they led to`() async throws {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let spans = try await spans(
            to: peer, bodies, "rest.gateway { listen = \"127.0.0.1:0\" }",
            asking: "GET /api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        func span(_ kind: Int64) -> Tree? { spans.first { $0["kind"]?.int == kind } }
        let (served, request, message) = (span(2), span(1), span(3))
        #expect(spans.count == 3 && served?["parentSpanId"] == nil)
        #expect(request?["parentSpanId"] == served?["spanId"] && request?["traceId"] == served?["traceId"])
        #expect(message?["parentSpanId"] == request?["spanId"])
        #expect(served?["name"]?.string == "GET /api/**")
        #expect(attribute("http.route", served) == "/api/**" && attribute("url.scheme", served) == "http")
        let ids = spans.map { attribute("resthost.request_id", $0) }
        #expect(ids[0] != nil && Set(ids).count == 1)
    }

    @Test func `70.6 70.7 a route, its hooks and what it is computed of are one trace`() async throws {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let spans = try await spans(
            to: peer, bodies,
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            local made = rest.service { name = "made", base_url = "http://made.test" }
            made:computed("/both", function()
              rest.all { api:resource("/a"):load(), api:resource("/b"):load() }
              return { ok = true }
            end)
            gateway:before("/report/**", function() api:resource("/hook"):get() end)
            gateway:route("GET", "/report/{user}", function()
              rest.sleep(0.01)
              return made:resource("/both"):get()
            end)
            """,
            asking: "GET /report/ada HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "traceparent: 00-\(id)-00f067aa0ba902b7-01\r\n\r\n")
        #expect(spans.allSatisfy { $0["traceId"]?.string == id })
        func span(_ name: String, _ path: String = "") -> Tree? {
            spans.first { span in
                span["name"]?.string == name
                    && (path.isEmpty || attribute("url.full", span)?.hasSuffix(path) == true)
            }
        }
        let route = span("GET /report/{user}")
        #expect(route?["parentSpanId"]?.string == "00f067aa0ba902b7" && route?["kind"]?.int == 2)
        #expect(attribute("http.route", route) == "/report/{user}")
        let computed = span("GET made")
        #expect(computed?["parentSpanId"] == route?["spanId"] && computed != nil)
        #expect(span("GET api", "/hook")?["parentSpanId"] == route?["spanId"])
        for source in ["/a", "/b"] {
            #expect(span("GET api", source)?["parentSpanId"] == computed?["spanId"], "\(spans)")
        }
    }

    @Test func `70.6 77.3 a read of a partition and requests of hooks are below the client's request`()
        async throws
    {
        let bodies = Bodies()
        let peer = LoopbackPeer { request in
            if request.target == "/v1/traces" { bodies.add(request.body) }
            return PeerConnection.response(
                headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        let spans = try await spans(
            to: peer, bodies,
            """
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            gateway:before("/api/**", function(request)
              api:resource("/before"):get()
              request.partition = "ada"
            end)
            gateway:after("/api/**", function() rest.sleep(0.01) api:resource("/after"):get() end)
            """,
            asking: "GET /api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let served = spans.first { $0["kind"]?.int == 2 }
        #expect(served?["name"]?.string == "GET /api/**")
        let trace = served?["traceId"]
        #expect(spans.count == 7 && spans.allSatisfy { $0["traceId"] == trace })
        for path in ["/before", "/a", "/after"] {
            let request = spans.first { span in
                span["kind"]?.int == 1 && attribute("url.full", span)?.hasSuffix(path) == true
            }
            #expect(request?["parentSpanId"] == served?["spanId"] && request != nil, "\(path): \(spans)")
        }
    }

    private func attribute(_ name: String, _ span: Tree?) -> String? {
        span?["attributes"]?.elements.first { $0["key"]?.string == name }?["value"]?["stringValue"]?.string
    }

    /// The spans of a host that has answered one request.
    private func spans(
        to peer: LoopbackPeer, _ bodies: Bodies, _ script: String, asking request: String
    ) async throws -> [Tree] {
        let folder = ScriptFolder.service(at: peer.baseURL, script)
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--admin", "off", "--traces", peer.baseURL],
            in: folder.path)
        #expect(await child.hasWritten("state of the host"))
        let address = try #require(
            child.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") })
        let port = try #require(Int(address.split(separator: ":")[2]))
        _ = try LoopbackClient(port: port).exchange(request)
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        withExtendedLifetime((folder, peer)) {}
        var spans: [Tree] = []
        for body in bodies.all {
            let found = try Tree(json: body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]
            spans += Array(found?.elements ?? Tree.null.elements)
        }
        return spans
    }

    /// Bodies that a peer's threads received.
    private final class Bodies: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])

        var all: [[UInt8]] { bodies.withLock { $0 } }

        func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
    }
}
