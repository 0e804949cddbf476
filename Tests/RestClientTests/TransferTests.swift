import Platform
import RestClient
import TestSupport
import Testing

/// Uploads of sequences, downloads into files, and the bytes of both (rules 79).
struct TransferTests {
    private struct Chunks: AsyncSequence, Sendable {
        var chunks: [[UInt8]]
        var failsAtEnd = false

        struct Broken: Error {}

        struct Iterator: AsyncIteratorProtocol {
            var rest: ArraySlice<[UInt8]>
            let failsAtEnd: Bool

            mutating func next() async throws -> [UInt8]? {
                await Task.yield()
                if rest.isEmpty, failsAtEnd { throw Broken() }
                return rest.popFirst()
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...], failsAtEnd: failsAtEnd) }
    }

    private func echo() -> LoopbackPeer {
        LoopbackPeer { request in
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
        }
    }

    @Test(arguments: [nil, 3 << 20] as [Int64?])
    func `79.11 a body is written from any sequence while it is sent`(_ length: Int64?) async throws {
        let peer = echo()
        let chunks = (0..<48).map { [UInt8](repeating: UInt8($0), count: 1 << 16) }
        let call: Call<[UInt8]> = try Endpoint(url: peer.baseURL).post("a") {
            Body(stream: Chunks(chunks: chunks), length: length)
        }
        #expect(try await call() == chunks.flatMap { $0 })
        #expect(peer.requests[0].headers["Content-Length"] == length.map { "\($0)" })
        let error = await #expect(throws: RequestError.self) { try await call() }
        #expect("\(error as Any)".contains("its body was streamed, and is gone"))
        #expect(peer.requests.count == 1)
    }

    @Test func `79.11 single bytes and a stream of the standard library are sequences too`() async throws {
        let peer = echo()
        let api = try Endpoint(url: peer.baseURL)
        let bytes = AsyncStream<UInt8> { continuation in
            for byte in 1...5 as ClosedRange<UInt8> { continuation.yield(byte) }
            continuation.finish()
        }
        #expect(try await api.post("a", as: [UInt8].self) { Body(stream: bytes) }() == [1, 2, 3, 4, 5])
        let slices = AsyncStream<ArraySlice<UInt8>> { continuation in
            continuation.yield([1, 2])
            continuation.yield([])
            continuation.yield([3])
            continuation.finish()
        }
        #expect(try await api.post("a", as: [UInt8].self) { Body(stream: slices) }() == [1, 2, 3])
    }

    @Test func `79.11 a sequence that is made anew can be sent again, by a refresh too`() async throws {
        let valid = Token()
        let peer = LoopbackPeer { request in
            let isIn = request.headers["Authorization"] == "Bearer 1"
            return Array(
                "HTTP/1.1 \(isIn ? "200 OK" : "401 No")\r\nContent-Length: \(request.body.count)\r\n\r\n".utf8
            )
                + request.body
        }
        let gate = RefreshGate()
        let api = try Endpoint(url: peer.baseURL) {
            Authorize(.bearer) { "\(valid.number)" }
            Configure {
                $0.decorators.append(
                    gate.decorator(when: { $0.httpStatusCode == 401 }) { valid.number += 1 })
            }
        }
        let call: Call<String> = api.post("a") {
            Body(streaming: { Chunks(chunks: [Array("one ".utf8), Array("two".utf8)]) })
        }
        #expect(try await call() == "one two")
        #expect(try await call() == "one two")
        #expect(peer.requests.map(\.text) == ["one two", "one two", "one two"])
    }

    @Test func `79.9 79.11 a sequence that fails, or of another length, is the error of the call`()
        async throws
    {
        let peer = echo()
        let api = try Endpoint(url: peer.baseURL)
        let bodies: [(Body, String)] = [
            (
                Body(stream: Chunks(chunks: [[1]], failsAtEnd: true)),
                "the sequence of the body failed: Broken()"
            ),
            (Body(stream: Chunks(chunks: [[1, 2], [3]]), length: 2), "longer than the 2 bytes"),
            (Body(stream: Chunks(chunks: [[1, 2]]), length: 3), "shorter than the 3 bytes"),
        ]
        for (body, message) in bodies {
            let error = await #expect(throws: RequestError.self) {
                try await api.post("a", as: Void.self) { body }()
            }
            #expect("\(error as Any)".contains(message))
        }
    }

    @Test func `79.11 a cancelled call ends the reading of its sequence`() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in connection.stall() }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let (began, ended) = (Gate(), Gate())
        continuation.onTermination = { _ in ended.open() }
        continuation.yield([1])
        let chunks = stream.map { chunk in
            began.open()
            return chunk
        }
        let call: Call<Void> = try Endpoint(url: peer.baseURL).post("a") { Body(stream: chunks) }
        let task = Task { try await call() }
        await began.opened("the sequence is read")
        task.cancel()
        let error = await #expect(throws: RequestError.self) { try await task.value }
        #expect(error?.code == "request_cancelled")
        await ended.opened("the sequence is released")
    }

    @Test func `79.12 a download has the call's headers, tells its bytes, and goes on after a cut`()
        async throws
    {
        let whole = String(repeating: "0123456789", count: 100_000)
        let peer = LoopbackPeer { request, connection in
            let head = "ETag: \"v\"\r\nContent-Length:"
            if let range = request.headers["Range"] {
                let start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
                let rest = whole.dropFirst(start)
                connection.send(
                    "HTTP/1.1 206 Partial\r\nContent-Range: bytes \(start)-\(whole.count - 1)/\(whole.count)\r\n"
                        + "\(head) \(rest.count)\r\n\r\n\(rest)")
            } else {
                connection.send("HTTP/1.1 200 OK\r\n\(head) \(whole.count)\r\n\r\n\(whole.prefix(500_000))")
                connection.close()
            }
        }
        let folder = TemporaryFolder()
        let path = folder.path + "/file"
        let seen = Progress()
        let file = try await Endpoint(url: peer.baseURL).get("a") { Header.authorization("Bearer t") }
            .download(to: path) { seen.last = $0 }
        #expect(file.path == path && file.bytes == 1_000_000 && file.headers["ETag"] == "\"v\"")
        #expect(try String(decoding: OpenFile(path).readAll(), as: UTF8.self) == whole)
        #expect(peer.requests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t"])
        #expect(await seen.last?.bytesReceived ?? 0 > 0)
    }

    @Test func `79.12 a download that fails leaves no file`() async throws {
        let peer = LoopbackPeer { _ in Array("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".utf8) }
        let folder = TemporaryFolder()
        let path = folder.path + "/file"
        await #expect(throws: RequestError.self) {
            try await Endpoint(url: peer.baseURL).get("a").download(to: path)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `79.13 progress ends with all bytes after a success, and with the error otherwise`()
        async throws
    {
        let peer = LoopbackPeer { request, connection in
            if request.path == "/good" {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext")
            } else {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ntext")
                connection.stall()
            }
        }
        let api = try Endpoint(url: peer.baseURL)
        let good = await api.post("good") { Body("12345") }.start()
        var last: TransferProgress?
        for try await progress in await good.transferUpdates { last = progress }
        #expect(last?.bytesReceived == 4 && last?.bytesToReceive == 4)
        #expect(last?.bytesSent == 5 && last?.bytesToSend == 5)
        let bad = await api.get("bad").start()
        let updates = await bad.transferUpdates
        let error = await #expect(throws: RequestError.self) {
            for try await progress in updates where progress.bytesReceived == 4 {
                last = progress
                await bad.cancel()
            }
        }
        #expect(error?.code == "request_cancelled" && last?.bytesToReceive == 10)
    }

    @Test func `79.13 progress of a request begins with the bytes that have come`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ntext")
            connection.stall()
        }
        let request = try await Endpoint(url: peer.baseURL).get("a").start()
        await yielding(until: "the bytes have come") { await request.transferred?.bytesReceived == 4 }
        // Its progress stays the same from here on.
        var updates = await request.transferUpdates.makeAsyncIterator()
        let first = try await updates.next()
        #expect(first?.bytesReceived == 4 && first?.bytesToReceive == 10)
        await request.cancel()
    }
}

@EngineActor
private final class Token {
    var number = 0
    nonisolated init() {}
}

@EngineActor
private final class Progress {
    var last: TransferProgress?
    nonisolated init() {}
}
