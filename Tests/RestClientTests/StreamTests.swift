import RestClient
import Synchronization
import TestSupport
import Testing

/// Answers that are read as they arrive, over libcurl (rules 79).
struct StreamTests {
    private func answer(_ text: String, type: String = "text/plain") -> [UInt8] {
        Array(
            "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                .utf8)
    }

    private func collect<Elements: AsyncSequence>(
        _ elements: Elements
    ) async throws -> [Elements.Element] {
        var all: [Elements.Element] = []
        for try await element in elements { all.append(element) }
        return all
    }

    @Test func `79.10 the head comes before the body, and chunks as they arrive`() async throws {
        let gate = Gate()
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 10\r\n\r\nfirst")
            gate.wait(for: "the first chunk is read")
            connection.send("final")
        }
        let stream = try await Endpoint(url: peer.baseURL).get("a").stream()
        #expect(stream.status == 200 && stream.headers["X-A"] == "1")
        var chunks: [String] = []
        for try await chunk in stream {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            if chunks.joined() == "first" { gate.open() }
        }
        #expect(chunks.joined() == "firstfinal")
    }

    @Test func `79.10 lines end with LF or CR LF, the last with nothing`() async throws {
        let text = "one\r\n\ntwo\nthree\rx\nföür"
        let peer = LoopbackPeer { _ in answer(text) }
        let lines = try await Endpoint(url: peer.baseURL).get("a").stream().lines
        #expect(try await collect(lines) == ["one", "", "two", "three\rx", "föür"])
    }

    @Test func `79.10 lines that arrive byte by byte are whole`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for byte in Array("ö1\r\nzwei\n".utf8) {
                connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8))
            }
            connection.send("0\r\n\r\n")
        }
        let lines = try await Endpoint(url: peer.baseURL).get("a").stream().lines
        #expect(try await collect(lines) == ["ö1", "zwei"])
    }

    @Test func `79.10 a line or an event beyond the limit is an error, behind those before it`() async throws
    {
        let peer = LoopbackPeer { request in
            request.path == "/lines"
                ? answer("short\nlonger line\n") : answer("data: 1\n\ndata: 234567890\n\n")
        }
        let api = try Endpoint(url: peer.baseURL)
        var lines: [String] = []
        let error = await #expect(throws: RequestError.self) {
            for try await line in try await api.get("lines").stream().lines(limit: 8) { lines.append(line) }
        }
        #expect(lines == ["short"] && "\(error as Any)".contains("longer than 8 bytes"))
        var events: [String] = []
        await #expect(throws: RequestError.self) {
            for try await event in try await api.get("events").stream().events(limit: 12) {
                events.append(event.data)
            }
        }
        #expect(events == ["1"])
    }

    @Test func `79.10 server-sent events have type, data and id`() async throws {
        let text = ": hello\nid: 7\nevent: news\ndata: a\ndata: b\n\ndata: c\n\ndata: cut"
        let peer = LoopbackPeer { _ in answer(text, type: "text/event-stream") }
        let events = try await collect(Endpoint(url: peer.baseURL).get("a").stream().events)
        #expect(
            events.map { "\($0.type) \($0.data) \($0.id)" } == ["news a\nb 7", "message c 7"])
    }

    @Test func `79.10 a status from 400 is the error of the call, and its body is parsed`() async throws {
        let peer = LoopbackPeer { _ in
            Array(
                "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}"
                    .utf8)
        }
        let error = await #expect(throws: RequestError.self) {
            try await Endpoint(url: peer.baseURL).get("a").stream()
        }
        #expect(error?.httpStatusCode == 404 && error?.json["a"]?.string == "b")
    }

    @Test func `79.10 a body that breaks off throws behind what arrived`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            connection.close()
        }
        var got = ""
        let error = await #expect(throws: RequestError.self) {
            for try await chunk in try await Endpoint(url: peer.baseURL).get("a").stream() {
                got += String(decoding: chunk, as: UTF8.self)
            }
        }
        #expect(error?.code == "connection_failed" || error?.code == "truncated", "\(error as Any)")
        #expect(error?.method == "GET")
    }

    @Test func `79.10 a server waits for a reader that doesn't read`() async throws {
        let size = 32 << 20
        let sent = Sent()
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let chunk = [UInt8](repeating: 7, count: 64 << 10)
            for _ in 0..<(size / chunk.count) {
                connection.send(chunk)
                sent.add(chunk.count)
            }
        }
        let stream = try await Endpoint(url: peer.baseURL).get("a").stream()
        var iterator = stream.makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        // The rest waits in buffers of the system, the transport and the stream.
        var before = -1
        await yielding(until: "the server waits") {
            defer { before = sent.bytes }
            return before > 0 && before == sent.bytes
        }
        #expect(sent.bytes < size)
        while let chunk = try await iterator.next() { count += chunk.count }
        #expect(count == size)
    }

    @Test func `79.10 releasing or cancelling ends the request`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .text(200, "text"), isHeld: true)
        let call: Call<Entity> = api.service.get("x")
        let task = Task { try await call.stream().lines.first { _ in true } }
        await yielding(until: "it is sent") { await !api.sent.isEmpty }
        task.cancel()
        let error = await #expect(throws: RequestError.self) { try await task.value }
        #expect(error?.code == "request_cancelled")
        await yielding(until: "the transfer ends") { await api.transport.transfersInFlight == 0 }
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            connection.stall()
        }
        let endpoint = try Endpoint(url: peer.baseURL)
        for try await _ in try await endpoint.get("a").stream() { break }
        let service = await endpoint.session.service
        await yielding(until: "the request ends") {
            await EngineActor.run { !service.liveResources.contains { $0.isRequesting } }
        }
    }

    @Test func `79.10 what a decorator gives is streamed too`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .response(503))
        await EngineActor.run {
            api.service.configure("x") {
                $0.decorators.append { _, request in
                    request.chained { _ in
                        .useResponse(ResponseInfo(.success(Entity(content: .text("a\nb")))))
                    }
                }
            }
        }
        let lines = try await api.service.get("x").stream().lines
        #expect(try await collect(lines) == ["a", "b"])
    }
}

private final class Sent: Sendable {
    private let count = Atomic(0)
    var bytes: Int { count.load(ordering: .relaxed) }
    func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}
