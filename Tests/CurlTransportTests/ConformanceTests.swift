import CurlTransport
import RestEngine
import TestSupport
import Testing

struct ConformanceTests {
    @Test @EngineActor func `it does what the engine asks of a transport`() async {
        let peer = TransportConformance.makePeer()
        #expect(await TransportConformance.check(peer.baseURL) { CurlTransport() } == [])
    }
}
