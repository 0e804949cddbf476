import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

@EngineActor
struct CancelTests {
    let transport = CurlTransport()

    @Test(arguments: [TransferPlace.loop, .thread])
    func `cancelling hangs up, and the completion is not called`(place: TransferPlace) async {
        let transport = CurlTransport(options: TransportOptions(), place: place)
        let begun = Gate()
        let hungUp = Gate()
        let peer = LoopbackPeer { _, connection in
            begun.open()
            connection.stall()
            hungUp.open()
        }
        var wasCalled = false
        let transfer = transport.send(TransportRequest(url: peer.baseURL)) { _ in wasCalled = true }
        await begun.opened()
        transfer.cancel()
        await hungUp.opened()
        transfer.cancel()
        #expect(!wasCalled)
    }

    @Test func `cancelling in the same breath sends nothing`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        var wasCalled = false
        transport.send(TransportRequest(url: peer.baseURL + "/cancelled")) { _ in wasCalled = true }.cancel()
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL + "/after")).get()
        #expect(!wasCalled)
        #expect(peer.requests.map(\.target) == ["/after"])
    }

    @Test func `a refused request can be cancelled before it is reported`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        var wasCalled = false
        transport.send(TransportRequest(url: "nonsense")) { _ in wasCalled = true }.cancel()
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        #expect(!wasCalled)
    }

    @Test func `a completion may cancel others, finished or not, and send again`() async throws {
        let peer = LoopbackPeer { request, connection in
            if request.path == "/slow" { connection.stall() } else { connection.respond(text: "x") }
        }
        var others: [any Transfer] = []
        var calls = 0
        let answer: TransportResult? = await waiting(for: "the other answer") { notified in
            let cancelAll: @EngineActor (TransportResult) -> Void = { _ in
                calls += 1
                for transfer in others { transfer.cancel() }
                guard calls == 1 else { return }
                _ = transport.send(TransportRequest(url: peer.baseURL + "/again")) { notified($0) }
            }
            for _ in 0..<10 {
                others.append(
                    transport.send(TransportRequest(url: peer.baseURL + "/slow"), completion: cancelAll))
                // These two end in the same pass: one is reported, and that cancels the other.
                others.append(transport.send(TransportRequest(url: "bad"), completion: cancelAll))
            }
        }
        #expect(try answer?.get().status == 200)
        #expect(calls == 1)
    }

    @Test func `a completion never runs before send returns`() async {
        for url in ["nonsense", "http://127.0.0.1:\(LoopbackPeer.unusedPort())/"] {
            var hasReturned = false
            let wasLater: Bool? = await waiting(for: "the completion") { notified in
                _ = transport.send(TransportRequest(url: url)) { _ in notified(hasReturned) }
                hasReturned = true
            }
            #expect(wasLater == true)
        }
    }

    @Test func `cancelling during a name look-up does not hold the loop up`() async throws {
        let transfer = transport.send(TransportRequest(url: "http://slow.nonexistent.invalid/")) { _ in }
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        transfer.cancel()
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
    }
}
