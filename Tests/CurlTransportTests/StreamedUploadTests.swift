import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Bodies that are written while they are sent (rules 69).
@EngineActor
struct StreamedUploadTests {
    let transport = CurlTransport()

    private func request(
        _ peer: LoopbackPeer, _ pipe: BodyPipe, _ method: String = "PUT"
    ) -> TransportRequest {
        TransportRequest(method: method, url: peer.baseURL, upload: .stream(pipe))
    }

    private func bytes(_ count: Int, _ seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31) }
    }

    /// Writes from this task as fast as there is room.
    private func write(_ count: Int, pieces: Int, to pipe: BodyPipe) async {
        for place in stride(from: 0, to: count, by: pieces) {
            let piece = bytes(min(pieces, count - place), place)
            await yielding(until: "there is room") { pipe.waitingBytes <= 128 << 10 }
            pipe.write(piece)
            await Task.yield()
        }
        pipe.finish()
    }

    @Test("69.1 a body of a known length, and in chunks", arguments: [true, false], [1, 1_000_000])
    func whole(isKnown: Bool, count: Int) async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let pipe = BodyPipe(length: isKnown ? Int64(count) : nil)
        async let answer = transport.answer(to: request(peer, pipe))
        await write(count, pieces: 70_001, to: pipe)
        let response = try await answer.get()
        #expect(response.status == 200)
        let seen = try #require(peer.requests.last)
        // libcurl also counts the framing of chunks.
        let whole = Int64(seen.headBytes + count)
        #expect(response.timings.bytesSent >= whole && (!isKnown || response.timings.bytesSent == whole))
        #expect(seen.body == bytes(count))
        #expect(seen.headers["Content-Length"] == (isKnown ? "\(count)" : nil))
        #expect(seen.headers["Transfer-Encoding"] == (isKnown ? nil : "chunked"))
    }

    @Test("an empty one of an unknown length")
    func empty() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let pipe = BodyPipe()
        pipe.finish()
        #expect(try await transport.answer(to: request(peer, pipe)).get().status == 200)
        #expect(peer.requests.last?.body == [])
    }

    @Test("69.1 a server that takes nothing holds the writer")
    func held() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in connection.stallWithoutReading() }
        let pipe = BodyPipe()
        let transfer = transport.send(request(peer, pipe)) { _ in }
        let piece = bytes(64 << 10)
        var isRoom = false
        // Writes until neither the system's buffers nor the pipe take more.
        var (turns, written) = (5000, 0)
        while turns > 0, written < 256 << 20 {
            isRoom = pipe.waitingBytes < 128 << 10
            if isRoom {
                pipe.write(piece)
                written += piece.count
                turns = 5000
            }
            turns -= 1
            await Task.yield()
        }
        #expect(!isRoom)
        #expect(pipe.waitingBytes <= 192 << 10)
        transfer.cancel()
        peer.close()
    }

    @Test("69.4 a body that breaks off, or is shorter than announced, ends the transfer")
    func broken() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in connection.stall() }
        let broken = BodyPipe(length: 10)
        broken.write([1])
        async let first = transport.answer(to: request(peer, broken)).error
        await yielding(until: "some is read") { broken.isSpent }
        broken.fail(TransportError(.internal, phase: .send, message: "the client is gone"))
        #expect(await first?.message == "the client is gone")
        let short = BodyPipe(length: 10)
        short.write([1])
        short.finish()
        #expect(
            await transport.answer(to: request(peer, short)).error?.message
                == "the body is shorter than the 10 bytes that were announced")
    }

    @Test("69.5 a refusal that comes before the body is whole ends the transfer")
    func refused() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in
            connection.respond(413, text: "too much")
            connection.close()
        }
        let pipe = BodyPipe(length: 1 << 30)
        let response = try await transport.answer(to: request(peer, pipe)).get()
        #expect(response.status == 413)
        #expect(String(decoding: response.body, as: UTF8.self) == "too much")
    }

    @Test("69.4 what was read is not sent again when a kept connection breaks")
    func keptConnection() async throws {
        let peer = LoopbackPeer(readsBodies: false) { request, connection in
            if request.method == "GET" { return connection.respond() }
            connection.close()
        }
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        let pipe = BodyPipe(length: 5)
        pipe.write([1, 2, 3, 4, 5])
        pipe.finish()
        let error = await transport.answer(to: request(peer, pipe)).error
        #expect(error?.code == .connectionFailed)
        #expect(peer.requests.count(where: { $0.method == "PUT" }) == 1)
    }
}
