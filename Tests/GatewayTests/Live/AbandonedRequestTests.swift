import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Requests whose client leaves, in the access log.
@Suite struct AbandonedRequestTests {
    private final class Records: Sendable {
        let all = Mutex<[AccessRecord]>([])
    }

    @Test func `a request whose client left before the answer is noted with 499, once`() async throws {
        let records = Records()
        try await World.run({ $0.accessLog = { record in records.all.withLock { $0.append(record) } } }) {
            world, site in
            var client: Client? = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            #expect(client != nil)
            client = nil
            await yielding(until: "it is noted") { records.all.withLock { !$0.isEmpty } }
            #expect(try site.get("/-/health").status == 200)
            await yielding(until: "both are noted") { records.all.withLock { $0.count > 1 } }
            let notes = records.all.withLock { $0.map { "\($0.target) \($0.status) \($0.outcome ?? "")" } }
            #expect(notes == ["/github/a 499 refused", "/-/health 200 answered"])
        }
    }

    @Test(arguments: [false, true])
    func `an answer that breaks off or is whole is noted once`(breaks: Bool) async throws {
        let records = Records()
        let stream = ServedStream(status: 200, headers: Headers()) { pipe in
            pipe.write([1, 2])
            breaks ? pipe.fail(TransportError(.internal, message: "no")) : pipe.finish()
        }
        try await World.run({
            $0.accessLog = { record in records.all.withLock { $0.append(record) } }
            $0.routes = [
                GatewayRoute(method: "GET", template: "/s", expirationSeconds: nil) { _, finish in
                    finish(.success(.stream(stream)))
                }
            ]
        }) { _, site in
            var client: Client? = try site.asking("/s")
            await yielding(until: "it is noted") { records.all.withLock { !$0.isEmpty } }
            #expect(client != nil)
            client = nil
            await yielding(until: "it is gone") { site.gateway.connections == 0 }
            #expect(records.all.withLock { $0.map(\.status) } == [200])
        }
    }

    @Test func `a stream of events is noted at its end, once, with its bytes and its duration`() async throws
    {
        let records = Records()
        try await World.run({ $0.accessLog = { record in records.all.withLock { $0.append(record) } } }) {
            world, site in
            var stream: StreamClient? = try StreamTests.open(site, "/github/a")
            await world.transport.waitForRequests(1)
            #expect(try stream?.head().status == 200)
            _ = try stream?.event()
            _ = try stream?.event()
            #expect(records.all.withLock { $0.isEmpty })
            world.clock.advance(by: 30)
            await world.reply("[1]")
            #expect(try stream?.event().name == "new_data")
            stream = nil
            await yielding(until: "it is gone") { site.gateway.connections == 0 }
            await yielding(until: "it is noted") { records.all.withLock { !$0.isEmpty } }
            let noted = records.all.withLock { $0 }
            #expect(
                noted.map { "\($0.target) \($0.status) \($0.outcome ?? "")" } == ["/github/a 200 answered"])
            #expect(noted[0].bytes > 100 && noted[0].duration >= 30)
        }
    }

    @Test func `a stream of events that the host ends is noted, too`() async throws {
        let records = Records()
        try await World.run({ $0.accessLog = { record in records.all.withLock { $0.append(record) } } }) {
            world, site in
            let stream = try StreamTests.open(site, "/-/events")
            #expect(try stream.head().status == 200)
            let other = try StreamTests.open(site, "/github/a")
            #expect(try other.head().status == 200)
            await site.stop()
            #expect(
                records.all.withLock { $0.map { "\($0.target) \($0.status)" }.sorted() }
                    == ["/-/events 200", "/github/a 200"])
        }
    }

    @Test func `a stream of events of a route is noted with its bytes when its client leaves`() async throws {
        let records = Records()
        let stream = ServedStream(
            status: 200, headers: Headers([("Content-Type", "text/event-stream")])
        ) { pipe in pipe.write(Array("data: 1\n\n".utf8)) }
        try await World.run({
            $0.accessLog = { record in records.all.withLock { $0.append(record) } }
            $0.routes = [
                GatewayRoute(method: "GET", template: "/s", expirationSeconds: nil) { _, finish in
                    finish(.success(.stream(stream)))
                }
            ]
        }) { _, site in
            var client: StreamClient? = try StreamTests.open(site, "/s")
            #expect(try client?.head().status == 200)
            while try client?.line() != "data: 1" {}
            #expect(records.all.withLock { $0.isEmpty })
            client = nil
            await yielding(until: "it is noted") { records.all.withLock { !$0.isEmpty } }
            #expect(records.all.withLock { $0.map { "\($0.status) \($0.bytes)" } } == ["200 9"])
        }
    }

    @Test func `a connection that rests when it closes is no request`() async throws {
        let records = Records()
        try await World.run({ $0.accessLog = { record in records.all.withLock { $0.append(record) } } }) {
            _, site in
            var client: Client? = try site.asking("/-/health")
            #expect(try client?.answer().status == 200)
            client = nil
            await yielding(until: "it is gone") { site.gateway.connections == 0 }
            #expect(records.all.withLock { $0.map(\.status) } == [200])
        }
    }
}
