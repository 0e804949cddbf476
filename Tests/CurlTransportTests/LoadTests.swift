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
}
