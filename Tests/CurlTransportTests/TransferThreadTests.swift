import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// Transfers on a thread beside the engine loop.
@EngineActor
struct TransferThreadTests {
    private let transport = CurlTransport(options: TransportOptions(), place: .thread)

    private func send(
        _ request: TransportRequest, _ completion: @escaping @EngineActor (TransportResult) -> Void = { _ in }
    ) throws -> CurlTransfer {
        try #require(transport.send(request, completion: completion) as? CurlTransfer)
    }

    @Test func `it does what the engine asks of a transport`() async {
        let peer = TransportConformance.makePeer()
        let violations = await TransportConformance.check(peer.baseURL) {
            CurlTransport(options: TransportOptions(), place: .thread)
        }
        #expect(violations == [])
    }

    @Test func `what may not be sent twice, or goes to a receiver, stays on the loop`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        var load = LoopLoad(processors: 2)
        func places(_ request: TransportRequest) -> [Bool] {
            [TransferPlace.loop, .thread, .byLoad].map {
                $0.isThread(for: request, leaves: load.nextLeaves())
            }
        }
        let plain = TransportRequest(url: peer.baseURL)
        #expect(places(plain) == [false, true, false])
        for second in 0...LoopLoad.windows {
            load.note(at: Double(second)) { time in
                LoopLoad.Reading(time: time, loop: time, performing: 0, transfers: 0, process: time)
            }
        }
        #expect(places(plain) == [false, true, true])
        var received = plain
        received.receiver = PiecesReceiver()
        for request in [
            TransportRequest(method: "POST", url: peer.baseURL),
            TransportRequest(url: peer.baseURL, body: []),
            TransportRequest(url: peer.baseURL, upload: .file(path: "/dev/null")), received,
        ] {
            #expect(places(request) == [false, false, false])
        }
    }

    @Test func `caps of connections keep a transport on the loop`() async throws {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        var options = TransportOptions()
        options.maxTotalConnections = 1000
        defer { CurlPoller.shared.limitConnections(perHost: 0, total: 0) }
        let transfer = CurlTransport(options: options, place: .thread)
            .send(TransportRequest(url: peer.baseURL)) { _ in }
        #expect((transfer as? CurlTransfer)?.handle != nil)
        transfer.cancel()
        let other = try send(TransportRequest(url: peer.baseURL))
        #expect(other.handle == nil)
        other.cancel()
    }

    @Test func `time limits run, and a refused URL is reported`() async {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        var request = TransportRequest(url: peer.baseURL)
        request.timeouts.firstByteSeconds = 0.02
        let late = await transport.answer(to: request).error
        #expect(late?.code == .timeout && late?.phase == .firstByte)
        #expect(await transport.answer(to: TransportRequest(url: "nonsense")).error?.code == .invalidURL)
    }

    @Test func `progress is kept up to date from the first reading on, though the transfer rests`()
        async throws
    {
        let begun = Gate()
        let more = Gate()
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf!")
            begun.open()
            connection.stall()
            more.open()
        }
        let transfer = try send(TransportRequest(url: peer.baseURL))
        await begun.opened()
        await yielding(until: "five bytes came") { transfer.progress.bytesReceived >= 5 }
        #expect(transfer.progress.bytesToReceive == 10)
        transfer.cancel()
        await more.opened()
    }

    @Test func `a large body arrives whole`() async throws {
        let body = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let peer = LoopbackPeer { _, connection in connection.respond(body: body) }
        #expect(try await transport.answer(to: TransportRequest(url: peer.baseURL)).get().body == body)
    }

    @Test(arguments: [false, true])
    func `a body that is given away is asked for again on the loop`(hasBegun: Bool) async throws {
        let peer = LoopbackPeer { request, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf!")
            if request.path == "/half" { connection.stall() } else { connection.send("whole") }
        }
        var result: TransportResult?
        let ended = Gate()
        let transfer = try send(TransportRequest(url: peer.baseURL + "/half")) {
            result = $0
            ended.open()
        }
        if hasBegun {
            await yielding(until: "five bytes came") {
                try? send(TransportRequest(url: "nonsense")).cancel()
                return transfer.progress.bytesReceived >= 5
            }
        }
        let receiver = PiecesReceiver()
        #expect(transfer.giveBody(to: receiver))
        #expect(transfer.handle?.stream?.receiver === receiver, "it runs on the loop now")
        let begun = Gate()
        receiver.onPiece = { begun.open() }
        await begun.opened()
        #expect(receiver.bytes == Array("half!".utf8))
        transfer.cancel()
        let last = transport.send(TransportRequest(url: peer.baseURL + "/whole")) {
            result = $0
            ended.open()
        }
        #expect(last.giveBody(to: receiver))
        await ended.opened()
        #expect(try #require(result).get().body.isEmpty)
        #expect(receiver.bytes == Array("half!half!whole".utf8))
    }

    @Test func `a body without room is asked for again on the loop, which says what is too much`()
        async throws
    {
        let peer = LoopbackPeer { _ in PeerConnection.response(body: [UInt8](repeating: 1, count: 5000)) }
        let engine = Engine(transport: transport)
        let service = try Service(engine: engine, name: "a", baseURL: peer.baseURL)
        engine.contentBudget.limit = 1000
        var cause: TransportError?
        do throws(RequestError) {
            _ = try await service.resource("/large").load().entity()
        } catch {
            if case .transport(let why) = error.cause { cause = why }
        }
        #expect(cause?.code == .tooLarge && cause?.limit == 1000)
        #expect(peer.requests.count == 2)
        engine.contentBudget.limit = 1 << 20
        #expect(try await service.resource("/large").load().entity().content.typeName == "bytes")
        #expect(peer.requests.count == 3)
        #expect(engine.contentBudget.bodyBytes == 0)
    }

    @Test func `many at once, of which some are cancelled, each end once`() async throws {
        let peer = LoopbackPeer { request in
            PeerConnection.response(body: Array(request.target.utf8))
        }
        var ended: [Int: Int] = [:]
        var wrong = 0
        let all = Gate()
        let count = 300
        for number in 0..<count {
            let path = "/\(number)"
            let transfer = try send(TransportRequest(url: peer.baseURL + path)) { result in
                ended[number, default: 0] += 1
                if (try? result.get().body) != Array(path.utf8) { wrong += 1 }
                if ended.count == count - count / 3 { all.open() }
            }
            if number % 3 == 0 { transfer.cancel() }
        }
        await all.opened()
        #expect(wrong == 0)
        #expect(ended.allSatisfy { $0.key % 3 != 0 && $0.value == 1 })
    }
}
