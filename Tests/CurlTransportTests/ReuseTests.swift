import CurlTransport
import RestEngine
import Synchronization
import TestSupport
import Testing

@EngineActor
struct ReuseTests {
    private func fetch(_ count: Int, _ transport: CurlTransport, _ url: String) async -> [TransportResult] {
        var results: [TransportResult] = []
        let allDone = Gate()
        for _ in 0..<count {
            _ = transport.send(TransportRequest(url: url)) { result in
                results.append(result)
                if results.count == count { allDone.open() }
            }
        }
        await allDone.opened()
        return results
    }

    @Test func `requests one after another share a connection`() async throws {
        let transport = CurlTransport()
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        for number in 0..<10 {
            let response = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
            #expect(response.timings.isConnectionReused == (number > 0))
            if number > 0 { #expect(response.timings.connect == 0) }
            #expect(response.timings.total >= response.timings.firstByte)
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `connections of a burst serve the next burst`() async throws {
        let transport = CurlTransport()
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        _ = await fetch(20, transport, peer.baseURL)
        let count = peer.connectionCount
        #expect(count <= 20)
        let results = await fetch(20, transport, peer.baseURL)
        #expect(results.allSatisfy { $0.error == nil })
        #expect(peer.connectionCount == count)
    }

    @Test func `however often a kept connection breaks, a request that may be repeated is`() async throws {
        let count = Mutex(0)
        let peer = LoopbackPeer { _, connection in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            // The first is answered; of each later one what came on the kept connection is not.
            number % 2 == 0 ? connection.respond() : connection.close()
        }
        let transport = CurlTransport()
        for number in 0..<30 {
            let result = await transport.answer(to: TransportRequest(url: peer.baseURL))
            #expect(result.error == nil, "\(number)")
        }
        #expect(peer.connectionCount == 30)
    }

    @Test func `another transport uses the same connections`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        for _ in 0..<2 { _ = try await CurlTransport().answer(to: TransportRequest(url: peer.baseURL)).get() }
        #expect(peer.connectionCount == 1)
    }

    @Test func `a cap on connections makes requests wait, and the wait is told`() async {
        // The cap is the process's; in another process it is nobody else's.
        await #expect(processExitsWith: .success) { await ReuseTests().fetchCapped() }
    }

    private func fetchCapped() async {
        var options = TransportOptions()
        options.maxConnectionsPerHost = 2
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let results = await fetch(20, CurlTransport(options: options), peer.baseURL)
        precondition(results.allSatisfy { $0.error == nil })
        precondition(peer.connectionCount <= 2)
        let queued = results.compactMap { try? $0.get().timings.queue }.filter { $0 > 0 }
        precondition(!queued.isEmpty)
    }
}
