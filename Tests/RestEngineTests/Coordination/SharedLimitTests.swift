import Coordination
import TestSupport
import Testing

@testable import RestEngine

/// Counts limits of several engines, as a server does.
@EngineActor
private final class FakeServer {
    var counts: [String: LimitCount] = [:]
    var hosts: [String: EngineFixture] = [:]
    var isDown = false
    var now = 0.0
    private(set) var messages = 0

    func answer(_ question: LimitQuestion, _ host: String, _ name: String, _ limit: SharedLimit)
        -> LimitAnswer?
    {
        messages += 1
        guard !isDown else { return nil }
        let answer = counts[name, default: LimitCount()].answer(question, from: host, limit, at: now)
        for woken in counts[name]?.woken ?? [] {
            hosts[woken]?.engine.scheduler.nextTick { [weak engine = hosts[woken]?.engine] in
                engine?.wakeLimit(name)
            }
        }
        return answer
    }
}

@EngineActor
private final class FakeCounting: HostCoordination {
    private let server: FakeServer
    private let name: String

    init(_ server: FakeServer, _ name: String, _ fixture: EngineFixture) {
        (self.server, self.name) = (server, name)
        server.hosts[name] = fixture
        fixture.engine.coordination = self
    }

    func begin(_ load: SharedLoad) { load.load(under: nil) }
    func begin(_ refresh: SharedRefresh) { refresh.decide(.renew { _ in nil }) }
    func publish(_ invalidation: Invalidation) {}
    func awaitsChange(of resource: Resource) -> Bool { false }
    func follow(_ resource: Resource) {}
    func announce(_ resource: Resource) {}
    func stop() {}

    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) { completion(server.answer(question, self.name, name, limit)) }
}

@Suite @EngineActor struct SharedLimitTests {
    private let server = FakeServer()
    private let hosts = [EngineFixture(), EngineFixture()]
    private let coordinations: [FakeCounting]

    init() {
        coordinations = zip(["a", "b"], hosts).map { [server] in FakeCounting(server, $0, $1) }
    }

    private func limit(_ limits: RequestLimits) throws {
        var limits = limits
        limits.isShared = true
        for host in hosts {
            try host.configure { $0.configuration.limits = limits }
            try host.stub("GET", "*", isHeld: true, .text(200, "x"))
        }
    }

    /// Starts requests, one for each path.
    private func start(_ host: Int, _ paths: [String]) -> [Request] {
        let requests = paths.map { hosts[host].resource($0).request(.get) }
        settle()
        return requests
    }

    private func settle() {
        for _ in 0..<3 { for host in hosts { host.settle() } }
    }

    /// Time goes by for hosts and server.
    private func advance(_ seconds: Double) {
        server.now += seconds
        for host in hosts { host.advance(seconds) }
        settle()
    }

    private var sent: [Int] { hosts.map { $0.transport.requests.count } }
    private var waiting: [Int] { hosts.map { $0.engine.attemptFacts.limits.first?.waiting ?? 0 } }

    @Test func `Requests in flight are counted over all hosts`() throws {
        try limit(RequestLimits(inFlight: 3))
        let first = start(0, ["1", "2", "3"])
        #expect(sent == [3, 0])
        let second = start(1, ["4"])
        #expect(sent == [3, 0] && waiting == [0, 1])
        // The first host learns of the other one, and gives back what it doesn't need.
        advance(0.5)
        first[0].cancel()
        settle()
        #expect(sent == [3, 1] && waiting == [0, 0])
        for request in first + second { request.cancel() }
        advance(1)
        advance(1)
        #expect(server.counts.values.allSatisfy { $0.permits(at: server.now) == 0 })
    }

    @Test func `The rate is that of all hosts`() throws {
        try limit(RequestLimits(rate: .init(requests: 4, per: .seconds(1))))
        let requests = start(0, ["1", "2", "3"]) + start(1, ["4", "5", "6"])
        #expect(sent.reduce(0, +) <= 4)
        for _ in 0..<5 { advance(0.2) }
        #expect(sent.reduce(0, +) == 6)
        for request in requests { request.cancel() }
        settle()
    }

    @Test func `A request costs no message while the host has permits`() throws {
        try limit(RequestLimits(inFlight: 100))
        var requests = start(0, (1...20).map { "\($0)" })
        let messages = server.messages
        #expect(messages <= 12 && sent == [20, 0])
        requests.removeLast().cancel()
        requests += start(0, ["21"])
        #expect(server.messages == messages && sent == [21, 0])
        for request in requests { request.cancel() }
        settle()
    }

    @Test func `Without an answer each host goes on with its part`() throws {
        try limit(RequestLimits(inFlight: 4))
        let first = start(0, ["1"]) + start(1, ["2"])
        advance(0.5)
        server.isDown = true
        let more = start(0, ["3", "4", "5"]) + start(1, ["6", "7", "8"])
        advance(0.3)
        advance(0.3)
        #expect(sent == [2, 2])
        server.isDown = false
        for request in first + more { request.cancel() }
        settle()
    }

    // MARK: Beside other features

    /// Both hosts answer one path of the first host in another way.
    private func answer(_ path: String, _ reply: StubReply) throws {
        try hosts[0].stub("GET", path, reply)
    }

    @Test func `A retry gives its permit to other hosts while it waits`() throws {
        try limit(RequestLimits(inFlight: 1))
        hosts[0].engine.random = { 1 }
        try hosts[0].configure("bad") { $0.configuration.retry = RetryPolicy() }
        try answer("bad", .response(503))
        let bad = start(0, ["bad"])
        #expect(sent == [1, 0] && bad[0].state == .inProgress)
        let other = start(1, ["1"])
        for _ in 0..<6 where sent[1] == 0 { advance(0.1) }
        #expect(sent[1] == 1)
        for request in bad + other { request.cancel() }
        settle()
    }

    @Test func `A streamed answer keeps its permit until its end`() throws {
        try limit(RequestLimits(inFlight: 1))
        var reply = StubReply.text(200, "first")
        reply.ending = .never
        try answer("live", reply)
        let receiver = PiecesReceiver()
        let live = hosts[0].resource("live").start(
            RequestPlan(method: "GET", destination: .receiver(receiver)))
        settle()
        let other = start(1, ["1"])
        for _ in 0..<30 { advance(0.1) }
        #expect(receiver.bytes == Array("first".utf8) && sent == [1, 0] && waiting == [0, 1])
        live.cancel()
        for _ in 0..<6 where sent[1] == 0 { advance(0.1) }
        #expect(sent == [1, 1])
        other[0].cancel()
        settle()
    }

    @Test func `A download gives its permit to other hosts at its end, and at a cut`() async throws {
        let folder = TemporaryFolder()
        try limit(RequestLimits(inFlight: 1))
        var cut = StubReply.text(200, "half")
        cut.ending = .failure(TransportError(.connectionFailed, phase: .receive, message: "cut"))
        try answer("cut", cut)
        try answer("whole", .text(200, "whole"))
        for (number, path) in ["cut", "whole"].enumerated() {
            let download = hosts[0].resource(path).start(
                RequestPlan(method: "GET", destination: .file(folder.path + "/" + path)))
            settle()
            await hosts[0].engine.offloadedWorkEnds()
            settle()
            #expect(download.state == .completed && download.info?.response.isSuccess == (path == "whole"))
            let other = start(1, [path])
            for _ in 0..<6 where sent[1] == number { advance(0.1) }
            #expect(sent[1] == number + 1)
            other[0].cancel()
            for _ in 0..<3 { advance(1) }
        }
        #expect(server.counts.values.allSatisfy { $0.permits(at: server.now) == 0 })
    }

    @Test func `A redirect keeps its permit`() throws {
        try limit(RequestLimits(inFlight: 1))
        try answer("from", .response(302, headers: Headers([("Location", "to")])))
        let requests = start(0, ["from"])
        #expect(hosts[0].transport.requests.map(\.url.last) == ["m", "o"] && waiting == [0, 0])
        requests[0].cancel()
        settle()
    }

    @Test func `A request that a breaker refuses takes no permit, and one that waited too long leaves none`()
        throws
    {
        try limit(RequestLimits(inFlight: 1))
        var policy = BreakerPolicy()
        policy.requests = 1
        try hosts[0].configure { $0.configuration.breaker = policy }
        try answer("bad", .response(503))
        _ = start(0, ["bad"])
        let messages = server.messages
        let refused = start(0, ["1"])
        #expect(refused[0].state == .completed && server.messages == messages)
        let holder = start(1, ["2"])
        for _ in 0..<6 where sent[1] == 0 { advance(0.1) }
        let late = start(1, ["3"])
        for _ in 0..<11 { advance(1) }
        #expect(late[0].state == .completed && waiting == [0, 0])
        holder[0].cancel()
        for _ in 0..<3 { advance(1) }
        #expect(server.counts.values.allSatisfy { $0.permits(at: server.now) == 0 })
    }

    @Test func `Each partition has a limit of its own in all hosts`() throws {
        try limit(RequestLimits(inFlight: 1, scope: .partition))
        let requests = ["ada", "bob"].map { partition in
            hosts[0].watch(hosts[0].service.resource("1", partition: partition)).request(.get)
        }
        settle()
        #expect(sent == [2, 0] && server.counts.count == 2)
        for request in requests { request.cancel() }
        settle()
    }

    @Test func `Nothing is sent while a host is offline, and no permit is kept`() throws {
        try limit(RequestLimits(inFlight: 1))
        hosts[0].engine.isOffline = true
        let requests = start(0, ["1"])
        #expect(requests[0].state == .completed && sent == [0, 0] && server.messages == 0)
    }

    @Test func `A limit without numbers is none`() throws {
        try limit(RequestLimits())
        let requests = start(0, ["1", "2"])
        #expect(sent == [2, 0] && server.messages == 0)
        for request in requests { request.cancel() }
        settle()
    }

    // MARK: Without a server

    @Test func `A host that nobody coordinates has the limit to itself`() throws {
        try limit(RequestLimits(inFlight: 2))
        hosts[0].engine.coordination = nil
        let requests = start(0, ["1", "2", "3"])
        #expect(sent == [2, 0] && server.messages == 0)
        for request in requests { request.cancel() }
        settle()
    }

    @Test func `A limit that is raised in all blocks lets waiting requests go`() throws {
        try limit(RequestLimits(inFlight: 1))
        let requests = start(0, ["1", "2"])
        #expect(sent == [1, 0])
        var limits = RequestLimits(inFlight: 2)
        limits.isShared = true
        try hosts[0].configure { $0.configuration.limits = limits }
        settle()
        #expect(sent == [2, 0])
        for request in requests { request.cancel() }
        settle()
    }
}
