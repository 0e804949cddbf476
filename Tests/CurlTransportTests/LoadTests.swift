import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct LoadTests {
    let transport = CurlTransport()

    @Test func `a thousand transfers, sixty-four at a time, all end well`() async {
        let peer = LoopbackPeer { request in
            PeerConnection.response(
                body: Array("\(request.target)\(String(repeating: "x", count: 5000))".utf8))
        }
        var next = 0
        var good = 0
        var done = 0
        let total = 1000
        let allDone = Gate()
        func sendNext() {
            guard next < total else { return }
            let path = "/\(next)"
            next += 1
            _ = transport.send(TransportRequest(url: peer.baseURL + path)) { result in
                if case .success(let response) = result,
                    response.body.count == path.utf8.count + 5000, response.body.starts(with: path.utf8)
                {
                    good += 1
                }
                done += 1
                if done == total { allDone.open() } else { sendNext() }
            }
        }
        for _ in 0..<64 { sendNext() }
        await allDone.opened()
        #expect(good == total)
        #expect(peer.connectionCount <= 64)
        #expect(peer.requests.count == total)
    }

    @Test func `limit L261: many that are sent at once begin in parts, and those given up don't begin`() async
    {
        let peer = LoopbackPeer { _ in PeerConnection.response(body: Array("yes".utf8)) }
        let allDone = Gate()
        var (good, done) = (0, 0)
        let transfers = (0..<300).map { number in
            transport.send(TransportRequest(url: peer.baseURL + "/\(number)")) { result in
                if case .success(let response) = result, response.body.count == 3 { good += 1 }
                done += 1
                if done == 200 { allDone.open() }
            }
        }
        for number in stride(from: 2, to: 300, by: 3) { transfers[number].cancel() }
        // When the second pass of the loop begins, the first one is over.
        var begun = 300
        EngineLoop.shared.submit { begun = peer.connectionCount }
        await allDone.opened()
        #expect(begun <= 64, "\(begun)")
        #expect(good == 200 && done == 200)
        #expect(peer.requests.count <= 232)
    }
}
