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
