import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

struct CurlPollerTests {
    @Test func `polling on another thread stops the process and names both threads`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let poller = await EngineActor.run { CurlPoller.shared }
            _ = poller.handle(polling: true)
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("here: thread '"))
        #expect(message.contains("home: thread 'engine loop'"))
    }

    @Test func `a failed multi handle fails its transfers, and a new one serves`() async {
        await #expect(processExitsWith: .success) { await CurlPollerTests.replaceMulti() }
    }

    @EngineActor private static func replaceMulti() async {
        let peer = LoopbackPeer { request, connection in
            if request.path == "/stalled" { connection.stall() } else { connection.respond() }
        }
        let transport = CurlTransport()
        var codes: [TransportError.Code?] = []
        let allFailed = Gate()
        for _ in 0..<3 {
            _ = transport.send(TransportRequest(url: peer.baseURL + "/stalled")) { result in
                codes.append(result.error?.code)
                if codes.count == 3 { allFailed.open() }
            }
        }
        CurlPoller.shared.replaceMulti(because: TransportError(.internal, message: "a test"))
        await allFailed.opened()
        precondition(codes == [.internal, .internal, .internal])
        let result = await transport.answer(to: TransportRequest(url: peer.baseURL))
        precondition(result.error == nil)
    }

    @Test func `ends of transfers that take long to hear of let others have their turn`() async {
        let journal = await Journal()
        let transport = await CurlTransport()
        let _: Bool? = await waiting(for: "four ends to be heard of") { notified in
            EngineLoop.shared.submit {
                for number in 0..<4 {
                    _ = transport.send(TransportRequest(url: "no URL")) { _ in
                        if number == 0 { EngineLoop.shared.submit { journal.note("other") } }
                        let end = ContinuousClock.now + .milliseconds(11)
                        while ContinuousClock.now < end {}
                        journal.note("\(number)")
                        if number == 3 { notified(true) }
                    }
                }
            }
        }
        #expect(await journal.lines == ["0", "other", "1", "2", "3"])
    }

    @Test func `work from other threads wakes the loop while a transfer stalls`() async {
        let begun = Gate()
        let peer = LoopbackPeer { _, connection in
            begun.open()
            connection.stall()
        }
        await EngineActor.run {
            _ = CurlTransport().send(TransportRequest(url: peer.baseURL)) { _ in }
        }
        await begun.opened()
        for _ in 0..<100 { await EngineActor.run {} }
    }

    @Test @EngineActor func `progress counts both ways`() async throws {
        let begun = Gate()
        let peer = LoopbackPeer { request, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf!")
            begun.open()
            connection.stall()
        }
        let request = TransportRequest(method: "POST", url: peer.baseURL, body: [1, 2, 3])
        let transfer = CurlTransport().send(request) { _ in }
        #expect(transfer.progress.bytesToReceive == nil)
        await begun.opened()
        await yielding(until: "five bytes came") { transfer.progress.bytesReceived >= 5 }
        #expect(transfer.progress.bytesSent == 3)
        #expect(transfer.progress.bytesToSend == 3)
        #expect(transfer.progress.bytesToReceive == 10)
        transfer.cancel()
        #expect(transfer.progress.bytesReceived == 5)
    }
}
