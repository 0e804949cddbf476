import CurlTransport
import Platform
import RestEngine
import TestSupport
import Testing

@EngineActor
struct TimeoutTests {
    let transport = CurlTransport()

    private func failure(
        _ url: String, body: [UInt8]? = nil, _ set: (inout Timeouts) -> Void
    ) async throws -> TransportError {
        var request = TransportRequest(method: "PUT", url: url, body: body)
        set(&request.timeouts)
        let error = try #require(await transport.answer(to: request).error)
        #expect(error.code == .timeout)
        return error
    }

    @Test func `a handshake that does not end is a connect timeout`() async throws {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        let url = "https://127.0.0.1:\(peer.port)/"
        #expect(try await failure(url) { $0.connect = .seconds(0.05) }.phase == .connect)
    }

    @Test func `a response that does not begin is a first-byte timeout`() async throws {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        #expect(try await failure(peer.baseURL) { $0.firstByte = .seconds(0.05) }.phase == .firstByte)
    }

    @Test func `an informational response is not yet the first byte`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
            connection.stall()
        }
        #expect(try await failure(peer.baseURL) { $0.firstByte = .seconds(0.05) }.phase == .firstByte)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nX-Part:", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func `a response that stops is an idle timeout`(part: String) async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send(part)
            connection.stall()
        }
        #expect(try await failure(peer.baseURL) { $0.idle = .seconds(0.05) }.phase == .idle)
    }

    @Test func `a body that nobody takes is an idle timeout`() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in connection.stallWithoutReading() }
        defer { peer.close() }
        let body = [UInt8](repeating: 0, count: 32 << 20)
        #expect(try await failure(peer.baseURL, body: body) { $0.idle = .seconds(0.05) }.phase == .idle)
    }

    @Test func `a wait for the response is not idle`() async throws {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        let error = try await failure(peer.baseURL, body: [UInt8](repeating: 0, count: 100_000)) {
            $0.idle = .seconds(0.02)
            $0.firstByte = .seconds(0.06)
        }
        #expect(error.phase == .firstByte)
    }

    @Test func `the total counts whatever happens`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            connection.stall()
        }
        let error = try await failure(peer.baseURL) {
            $0.total = .seconds(0.05)
            $0.idle = nil
            $0.firstByte = nil
        }
        #expect(error.phase == .total)
    }

    @Test func `each transfer has limits of its own`() async throws {
        let peer = LoopbackPeer { request, connection in
            if request.path == "/slow" { connection.stall() } else { connection.respond() }
        }
        let start = ClockReading.uptime
        var ended: [Int: (TransportResult, seconds: Double)] = [:]
        let allEnded = Gate()
        for number in [3, 1, 2] {
            var request = TransportRequest(url: peer.baseURL + "/slow")
            request.timeouts.firstByte = .milliseconds(number * 100)
            _ = transport.send(request) { result in
                ended[number] = (result, ClockReading.uptime - start)
                if ended.count == 3 { allEnded.open() }
            }
        }
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        await allEnded.opened()
        for (number, (result, seconds)) in ended {
            #expect(result.error?.phase == .firstByte && seconds >= Double(number) / 10)
        }
    }
}
