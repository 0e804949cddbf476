import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import CurlTransport

/// The wait of a set of transfers, by epoll and by libcurl itself.
@EngineActor
struct SocketWatchTests {
    /// A set whose passes are run by the test.
    private struct Driven {
        let transfers: TransferSet
        let pool: EasyHandlePool

        init(usesEpoll: Bool) {
            transfers = TransferSet(isOfEngine: true, usesEpoll: usesEpoll)
            pool = EasyHandlePool(options: TransportOptions(), of: transfers)
        }

        @EngineActor func fetch(_ urls: [String]) throws -> [TransportResult] {
            for url in urls {
                let transfer = CurlTransfer(poller: .shared) { _ in }
                _ = try transfers.start(TransportRequest(url: url), for: transfer, by: pool)
            }
            var results: [TransportResult] = []
            spinning(until: "\(urls.count) results have come") {
                transfers.wait(milliseconds: 1000)
                transfers.perform()
                results += transfers.ended.map(\.result)
                transfers.ended = []
                return results.count >= urls.count
            }
            return results
        }
    }

    @Test(arguments: [true, false]) func `all that run come, on connections that serve again`(
        usesEpoll: Bool
    ) throws {
        let body = Array(repeating: UInt8(ascii: "a"), count: 300_000)
        let peer = LoopbackPeer { _ in PeerConnection.response(body: body) }
        let driven = Driven(usesEpoll: usesEpoll)
        for _ in 0..<3 {
            let results = try driven.fetch(Array(repeating: peer.baseURL, count: 30))
            #expect(results.count == 30)
            for result in results { #expect(try result.get().body.count == body.count) }
        }
        #expect(peer.connectionCount <= 30)
    }

    @Test(arguments: [true, false]) func `a connection that was closed while it rested is no other's`(
        usesEpoll: Bool
    ) throws {
        let closing = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi")
            connection.close()
        }
        let staying = LoopbackPeer { _ in PeerConnection.response(body: [1, 2, 3, 4, 5]) }
        let driven = Driven(usesEpoll: usesEpoll)
        for round in 0..<30 {
            let urls = (0...(round % 5)).flatMap { _ in [closing.baseURL, staying.baseURL] }
            let bodies = try driven.fetch(urls).map { result in
                // If the end was not noticed in time, the engine sends the request again (41.10).
                if result.error?.isStaleConnection ?? false { return 2 }
                return try result.get().body.count
            }
            #expect(bodies.sorted() == urls.map { $0 == closing.baseURL ? 2 : 5 }.sorted())
        }
        #expect(staying.connectionCount <= 6)
    }

    @Test(arguments: [true, false])
    func `40.4 bytes on an idle connection are seen before it is used`(
        usesEpoll: Bool
    ) throws {
        let last = Mutex<PeerConnection?>(nil)
        let peer = LoopbackPeer { _, connection in
            last.withLock { $0 = connection }
            connection.respond(text: "\(connection.number)")
        }
        let driven = Driven(usesEpoll: usesEpoll)
        for number in 1...5 {
            let bodies = try driven.fetch([peer.baseURL]).map { try $0.get().body }
            #expect(bodies == [Array("\(number)".utf8)])
            last.withLock { $0 }?.respond(text: "unasked")
        }
    }

    @Test func `the end of a connection that rests ends one wait, and no more`() throws {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            connection.close()
        }
        let driven = Driven(usesEpoll: true)
        #expect(try driven.fetch([peer.baseURL]).allSatisfy { $0.error == nil })
        driven.transfers.wait(milliseconds: 10_000)
        driven.transfers.perform()
        let start = ClockReading.uptime
        driven.transfers.wait(milliseconds: 20)
        #expect(ClockReading.uptime - start > 0.019)
    }

    @Test(arguments: [true, false]) func `transfers that are taken out leave nothing behind`(usesEpoll: Bool)
        throws
    {
        let stalled = LoopbackPeer { _, connection in connection.stall() }
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let driven = Driven(usesEpoll: usesEpoll)
        for _ in 0..<20 {
            let transfer = CurlTransfer(poller: .shared) { _ in }
            let handle = try driven.transfers.start(
                TransportRequest(url: stalled.baseURL), for: transfer, by: driven.pool)
            #expect(try driven.fetch([peer.baseURL, peer.baseURL]).allSatisfy { $0.error == nil })
            driven.transfers.remove(handle)
        }
        #expect(driven.transfers.running.isEmpty)
        #expect(peer.connectionCount <= 2)
    }

    @Test(arguments: [true, false]) func `a wait ends when it is woken, or was before`(usesEpoll: Bool) {
        let transfers = TransferSet(isOfEngine: true, usesEpoll: usesEpoll)
        let wakeUp = transfers.wakeUp
        let timeout = TestTimeout.watch("a wait to end", at: #_sourceLocation) { wakeUp() }
        defer { timeout.cancel() }
        for _ in 0..<100 {
            PeerThread.start { wakeUp() }
            transfers.wait(milliseconds: -1)
        }
        transfers.wakeUp()
        transfers.wait(milliseconds: -1)
        transfers.replaceMulti(because: TransportError(.internal, message: "a test"))
        transfers.wakeUp()
        transfers.wait(milliseconds: -1)
    }

    @Test(arguments: [true, false]) func `a wake between two waits ends the second one`(
        usesEpoll: Bool
    ) throws {
        let stalled = LoopbackPeer { _, connection in connection.stall() }
        let driven = Driven(usesEpoll: usesEpoll)
        let transfer = CurlTransfer(poller: .shared) { _ in }
        _ = try driven.transfers.start(
            TransportRequest(url: stalled.baseURL), for: transfer, by: driven.pool)
        for _ in 0..<20 {
            driven.transfers.wakeUp()
            driven.transfers.perform()
            let start = ClockReading.uptime
            driven.transfers.wait(milliseconds: Int32(TestTimeout.limit) * 1000)
            try #require(ClockReading.uptime - start < Double(TestTimeout.limit))
        }
        for handle in driven.transfers.running { driven.transfers.remove(handle) }
    }

    @Test(arguments: [(65_536, 4096), (8192, 1024), (1024, 256), (64, 256)])
    func `as many connections stay open as the process has descriptors for`(descriptors: Int, kept: Int) {
        #expect(MultiHandle.keptConnections(of: descriptors) == kept)
    }
}
