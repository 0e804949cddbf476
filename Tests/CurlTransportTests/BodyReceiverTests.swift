import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Bodies that go to a receiver as they arrive.
@EngineActor
struct BodyReceiverTests {
    let transport = CurlTransport()

    private func request(_ url: String, _ receiver: PiecesReceiver) -> TransportRequest {
        var request = TransportRequest(url: url)
        request.receiver = receiver
        return request
    }

    @Test func `56.2 56.5 a server waits while its body is held, and loses nothing`() async throws {
        let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let peer = LoopbackPeer { request, connection in
            if request.path == "/other" { connection.respond() } else { connection.respond(body: body) }
        }
        let receiver = PiecesReceiver()
        receiver.holds = true
        var result: TransportResult?
        let ended = Gate()
        // The body is larger than the cap of collected bodies.
        var message = request(peer.baseURL, receiver)
        message.maxBodyBytes = 1000
        let first = Gate()
        receiver.onPiece = { first.open() }
        let transfer = transport.send(message) {
            result = $0
            ended.open()
        }
        await first.opened()
        var calls = 1
        while result == nil, receiver.bytes.count < body.count {
            for _ in 0..<2 {
                _ = try await transport.answer(to: TransportRequest(url: peer.baseURL + "/other")).get()
            }
            #expect(receiver.calls == calls, "it is held")
            let more = Gate()
            receiver.onPiece = { more.open() }
            transfer.resume()
            if receiver.bytes.count < body.count { await more.opened() }
            calls += 1
        }
        receiver.holds = false
        transfer.resume()
        await ended.opened()
        #expect(receiver.bytes == body)
        #expect(try #require(result).get().body.isEmpty)
        #expect(
            receiver.heads.count == 1 && receiver.heads.first?.headers["Content-Length"] == "\(body.count)")
        #expect(calls > 8, "no piece is much larger than what may wait")
    }

    @Test func `56.1 an encoded body is given decoded`() async throws {
        let text = [UInt8](repeating: 0x61, count: 60_000)
        let peer = LoopbackPeer { _, connection in
            connection.respond(headers: [("Content-Encoding", "gzip")], body: Gzip.stored(text))
        }
        let receiver = PiecesReceiver()
        let response = try await transport.answer(to: request(peer.baseURL, receiver)).get()
        #expect(receiver.bytes == text && response.headers["Content-Encoding"] == nil)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `69.2 a receiver that takes coded bodies gets the bytes, length and part of the API`(method: String)
        async throws
    {
        let coded = Gzip.stored([UInt8](repeating: 0x61, count: 60_000))
        let peer = LoopbackPeer { request, connection in
            let isPart = request.path == "/part"
            let body = isPart ? Array(coded.prefix(10)) : coded
            var headers = [("Content-Encoding", "gzip"), ("ETag", "\"a\"")]
            if isPart { headers.append(("Content-Range", "bytes 0-9/\(coded.count)")) }
            let answer = PeerConnection.response(isPart ? 206 : 200, headers: headers, body: body)
            connection.send(method == "HEAD" ? Array(answer.dropLast(body.count)) : answer)
        }
        for (path, length) in [("/whole", coded.count), ("/part", 10)] {
            let receiver = PiecesReceiver(takesCodedBody: true)
            var message = request(peer.baseURL + path, receiver)
            message.method = method
            let response = try await transport.answer(to: message).get()
            #expect(receiver.bytes == (method == "HEAD" ? [] : Array(coded.prefix(length))))
            let heads = [response.headers] + receiver.heads.map(\.headers)
            #expect(heads.allSatisfy { $0["Content-Encoding"] == "gzip" && $0["ETag"] == "\"a\"" })
            #expect(heads.allSatisfy { $0["Content-Length"] == "\(length)" })
        }
    }

    @Test func `69.2 codings of the transfer and of failures are undone for all receivers`() async throws {
        let text = [UInt8](repeating: 0x61, count: 6000)
        let peer = LoopbackPeer { request, connection in
            let isFailure = request.path == "/failure"
            let body = Gzip.stored(text)
            if isFailure {
                connection.respond(404, headers: [("Content-Encoding", "gzip")], body: body)
            } else {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
                let size = String(body.count, radix: 16)
                connection.send(Array("\(head)\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8))
            }
        }
        let receiver = PiecesReceiver(takesCodedBody: true)
        _ = try await transport.answer(to: request(peer.baseURL + "/transfer", receiver)).get()
        #expect(receiver.bytes == text)
        let response = try await transport.answer(
            to: request(peer.baseURL + "/failure", PiecesReceiver(takesCodedBody: true))
        ).get()
        #expect(response.body == text && response.headers["Content-Encoding"] == nil)
    }

    @Test func `a body that is cut is an error after what came of it`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.close()
        }
        let receiver = PiecesReceiver()
        let error = await transport.answer(to: request(peer.baseURL, receiver)).error
        #expect(error?.code == .connectionFailed && receiver.bytes == Array("abc".utf8))
    }

    @Test func `cancelling what is held tells nobody anything`() async throws {
        let peer = LoopbackPeer { request, connection in
            connection.respond(body: [UInt8](repeating: 1, count: request.path == "/other" ? 0 : 4 << 20))
        }
        let receiver = PiecesReceiver()
        receiver.holds = true
        let first = Gate()
        receiver.onPiece = { first.open() }
        var wasCalled = false
        let transfer = transport.send(request(peer.baseURL, receiver)) { _ in wasCalled = true }
        await first.opened()
        transfer.cancel()
        transfer.resume()
        for _ in 0..<3 {
            _ = try await transport.answer(to: TransportRequest(url: peer.baseURL + "/other")).get()
        }
        #expect(!wasCalled && receiver.calls == 1)
    }
}
