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
            if number > 0 { #expect(response.timings.connectSeconds == 0) }
            #expect(response.timings.totalSeconds >= response.timings.firstByteSeconds)
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

    @Test func `41.10 a transport sends once, and says that a kept connection broke`() async throws {
        let count = Mutex(0)
        let peer = LoopbackPeer { _, connection in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            // The first request is answered. Later ones on the kept connection are not.
            number % 2 == 0 ? connection.respond() : connection.close()
        }
        let transport = CurlTransport()
        for number in 0..<30 {
            let result = await transport.answer(to: TransportRequest(url: peer.baseURL))
            #expect(result.error?.isStaleConnection == (number % 2 == 0 ? nil : true), "\(number)")
        }
        #expect(peer.connectionCount == 15 && peer.requests.count == 30)
    }

    @Test func `another transport uses the same connections`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        for _ in 0..<2 { _ = try await CurlTransport().answer(to: TransportRequest(url: peer.baseURL)).get() }
        #expect(peer.connectionCount == 1)
    }

    @Test func `a cap on connections makes requests wait, and the wait is reported`() async {
        // The cap belongs to the process, so another process runs this.
        await #expect(processExitsWith: .success) { await ReuseTests().fetchCapped() }
    }

    private func fetchCapped() async {
        var options = TransportOptions()
        options.maxConnectionsPerHost = 2
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let results = await fetch(20, CurlTransport(options: options), peer.baseURL)
        precondition(results.allSatisfy { $0.error == nil })
        precondition(peer.connectionCount <= 2)
        let queued = results.compactMap { try? $0.get().timings.queueSeconds }.filter { $0 > 0 }
        precondition(!queued.isEmpty)
    }

    @Test func `40.5 the wait for a connection is not one for the first byte`() async {
        await #expect(processExitsWith: .success) { await ReuseTests().waitForConnection() }
    }

    private func waitForConnection() async {
        var options = TransportOptions()
        options.maxConnectionsPerHost = 1
        let transport = CurlTransport(options: options)
        let go = Gate()
        let peer = LoopbackPeer { request, connection in
            if request.path == "/first" { go.wait() }
            connection.respond()
        }
        let silent = LoopbackPeer { _, connection in connection.stall() }
        func request(_ url: String, _ firstByte: Duration) -> TransportRequest {
            var request = TransportRequest(url: url)
            request.timeouts.firstByte = firstByte
            return request
        }
        var results: [TransportResult] = []
        let done = Gate()
        for (path, limit) in [("/first", Duration.seconds(30)), ("/second", .seconds(1))] {
            _ = transport.send(request(peer.baseURL + path, limit)) {
                results.append($0)
                if results.count == 2 { done.open() }
            }
        }
        // It has a longer timeout than the request that waits.
        let late = await transport.answer(to: request(silent.baseURL, .milliseconds(1200)))
        precondition(late.error?.phase == .firstByte && results.isEmpty)
        go.open()
        await done.opened()
        precondition(results.allSatisfy { $0.error == nil })
    }
}
