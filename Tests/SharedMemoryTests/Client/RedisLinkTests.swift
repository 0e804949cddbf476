import Testing

@testable import SharedMemory

@Suite final class RedisLinkTests {
    private var link = RedisLink()

    private func kinds(_ actions: [RedisLink.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .connect: "connect"
            case .disconnect: "disconnect"
            case .write(let id): "write \(id)"
            case .probe: "probe"
            case .succeed(let id, let values): "succeed \(id) \(values.count)"
            case .fail(let id, let failure): "fail \(id) \(failure.kind.rawValue)"
            case .noteReady: "ready"
            case .noteLost(let failure): "lost \(failure.kind.rawValue)"
            case .release(let id): "release \(id)"
            }
        }
    }

    private func submit(_ id: UInt64, replies: Int = 1, at now: Double) -> [String] {
        kinds(link.submit(id, replies: replies, deadline: now + 0.05, at: now))
    }

    private func receive(at now: Double) -> [String] {
        kinds(link.received(.integer(1), at: now, random: 0))
    }

    private func lose(at now: Double) -> [String] {
        kinds(link.lost(RedisFailure(.unreachable, "gone"), at: now, random: 0))
    }

    private func tick(_ now: Double) -> [String] { kinds(link.tick(at: now, random: 0)) }

    private func connect() {
        _ = submit(100, at: 0)
        _ = link.connected(at: 0)
        _ = receive(at: 0)
    }

    @Test func `Commands wait for the first connection`() {
        #expect(submit(1, at: 0) == ["connect"])
        #expect(submit(2, at: 0.01) == [])
        #expect(kinds(link.connected(at: 0.02)) == ["ready", "write 1", "write 2"])
        #expect(submit(3, replies: 2, at: 0.02) == ["write 3"])
        #expect(receive(at: 0.03) == ["succeed 1 1", "release 1"])
        #expect(receive(at: 0.03) == ["succeed 2 1", "release 2"])
        #expect(receive(at: 0.03) == [])
        #expect(receive(at: 0.03) == ["succeed 3 2", "release 3"])
        #expect(link.inFlight == 0)
    }

    @Test func `They wait within their timeout`() {
        _ = submit(1, at: 0)
        #expect(link.nextTick == 0.05)
        #expect(tick(0.05) == ["fail 1 timed_out", "release 1"])
        #expect(link.nextTick == 1)
        #expect(tick(1) == ["disconnect", "lost unreachable"])
    }

    @Test func `Without a connection commands fail at once`() {
        _ = submit(1, at: 0)
        #expect(lose(at: 0.01) == ["lost unreachable", "fail 1 unreachable", "release 1"])
        #expect(submit(2, at: 0.011) == ["fail 2 unreachable", "release 2"])
        #expect(tick(0.1) == ["connect"])
        #expect(submit(3, at: 0.1) == ["fail 3 unreachable", "release 3"])
        #expect(kinds(link.connected(at: 0.11)) == ["ready"])
        #expect(submit(4, at: 0.11) == ["write 4"])
    }

    @Test func `Pauses between attempts grow up to their limit`() {
        var pauses: [Double] = []
        _ = submit(1, at: 0)
        for _ in 0..<8 {
            _ = link.lost(RedisFailure(.unreachable, ""), at: 0, random: 1)
            if let next = link.nextTick { pauses.append(next) }
            _ = tick(10)
        }
        #expect(pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1, 1, 1])
        _ = link.connected(at: 10)
        _ = link.lost(RedisFailure(.unreachable, ""), at: 10, random: 0)
        #expect(link.nextTick == 10.025)
    }

    @Test func `A late reply is dropped, and the next one belongs to the next command`() {
        connect()
        _ = submit(1, at: 1)
        _ = submit(2, at: 1.03)
        #expect(tick(1.051) == ["fail 1 timed_out"])
        #expect(submit(3, at: 1.06) == ["fail 3 timed_out", "release 3"])
        #expect(receive(at: 1.07) == ["release 1"])
        #expect(receive(at: 1.07) == ["succeed 2 1", "release 2"])
        #expect(submit(4, at: 1.08) == ["write 4"])
    }

    @Test func `A silent server is left after a while`() {
        connect()
        _ = submit(1, at: 1)
        _ = submit(2, at: 1)
        #expect(tick(1.06) == ["fail 1 timed_out", "fail 2 timed_out"])
        #expect(link.nextTick == 2.05)
        #expect(tick(2.05) == ["disconnect", "lost timed_out", "release 1", "release 2"])
        #expect(receive(at: 2.06) == [])
    }

    @Test func `An idle connection is tested`() {
        connect()
        #expect(link.nextTick == 1)
        #expect(tick(1) == ["probe"])
        #expect(receive(at: 1.1) == ["succeed 0 1", "release 0"])
        #expect(tick(2.1) == ["probe"])
        #expect(tick(2.7) == ["fail 0 timed_out"])
        #expect(tick(3.6) == ["disconnect", "lost timed_out"])
    }

    @Test func `A busy connection is tested if the server may stop being the primary`() {
        var rules = RedisLink.Rules()
        rules.checkPeriod = 1
        link = RedisLink(rules)
        connect()
        #expect(submit(1, at: 0.97) == ["write 1"])
        #expect(submit(2, at: 0.98) == ["write 2"])
        #expect(receive(at: 0.99) == ["succeed 1 1", "release 1"])
        #expect(submit(3, at: 1) == ["probe", "write 3"])
        #expect(submit(4, at: 1.01) == ["write 4"])
        #expect(receive(at: 1.02) == ["succeed 2 1", "release 2"])
        #expect(receive(at: 1.02) == ["succeed 0 1", "release 0"])
        #expect(receive(at: 1.02) == ["succeed 3 1", "release 3"])
        #expect(receive(at: 1.02) == ["succeed 4 1", "release 4"])
        #expect(submit(5, at: 2) == ["probe", "write 5"])
    }

    @Test func `A lost connection fails each command once`() {
        connect()
        _ = submit(1, at: 1)
        _ = submit(2, at: 1.04)
        _ = tick(1.06)
        #expect(lose(at: 1.07) == ["lost unreachable", "release 1", "fail 2 unreachable", "release 2"])
        #expect(lose(at: 1.08) == [])
    }

    @Test func `A reply that no command asked for ends the connection`() {
        connect()
        #expect(receive(at: 1) == ["disconnect", "lost protocol"])
    }

    @Test func `A closed client fails commands`() {
        connect()
        _ = submit(1, at: 1)
        #expect(kinds(link.close()) == ["disconnect", "fail 1 unreachable", "release 1"])
        #expect(submit(2, at: 2) == ["fail 2 unreachable", "release 2"])
        #expect(link.nextTick == nil)
    }

    // MARK: The greeting

    @Test func `A new server is greeted in one go`() throws {
        let greeting = Changing(RedisGreeting(try RedisAddress("redis://u:secret@h/2")))
        #expect(
            greeting.change({ $0.begin() }) == [
                RedisCommand("HELLO", "3", "AUTH", "u", "secret", "SETNAME", "resthost"),
                RedisCommand("SELECT", "2"),
            ])
        #expect(greeting.change({ $0.receive(.map([])) }) == .wait)
        #expect(greeting.change({ $0.receive(.bytes([])) }) == .done(version: 3))
    }

    @Test func `An old server gets the commands of version 2`() throws {
        let greeting = Changing(RedisGreeting(try RedisAddress("redis://:secret@h/2")))
        _ = greeting.change({ $0.begin() })
        #expect(
            greeting.change({ $0.receive(.error("ERR unknown command `HELLO`")) })
                == .send([RedisCommand("AUTH", "secret"), RedisCommand("SELECT", "2")]))
        #expect(greeting.change({ $0.receive(.error("NOAUTH Authentication required.")) }) == .wait)
        #expect(greeting.change({ $0.receive(.bytes([])) }) == .wait)
        #expect(greeting.change({ $0.receive(.bytes([])) }) == .done(version: 2))
        let plain = Changing(RedisGreeting(try RedisAddress("redis://h")))
        _ = plain.change({ $0.begin() })
        #expect(
            plain.change({ $0.receive(.error("NOPROTO unsupported protocol version")) }) == .done(version: 2))
    }

    @Test func `A refused login is a failure`() throws {
        let greeting = Changing(RedisGreeting(try RedisAddress("redis://:wrong1@h")))
        _ = greeting.change({ $0.begin() })
        guard case .failed(let failure) = greeting.change({ $0.receive(.error("WRONGPASS invalid")) }) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == .refused)
    }

    private func steps(_ greeting: RedisGreeting, _ replies: RedisValue...) -> [RedisGreeting.Step] {
        let greeting = Changing(greeting)
        _ = greeting.change({ $0.begin() })
        return replies.map { reply in greeting.change({ $0.receive(reply) }) }
    }

    private func text(_ text: String) -> RedisValue { .bytes(Array(text.utf8)) }

    @Test func `A server of several is asked for its role`() throws {
        let address = try RedisAddress("redis://h")
        func last(_ reply: RedisValue) -> RedisGreeting.Step? {
            let steps = steps(RedisGreeting(address, asksRole: true), .map([]), reply)
            #expect(steps.first == .send([RedisCommand("ROLE")]))
            return steps.last
        }
        #expect(last(.array([text("master"), .integer(0), .array([])])) == .done(version: 3))
        #expect(last(.error("NOPERM no")) == .done(version: 3))
        #expect(last(.array([text("slave"), text("h")])) == .failed(RedisRole.replicaFailure))
        for (reply, kind) in [
            (RedisValue.error("LOADING x"), RedisFailure.Kind.loading),
            (.array([text("sentinel"), .array([])]), .unreachable),
        ] {
            guard case .failed(let failure) = last(reply) else {
                Issue.record("no failure of \(reply)")
                continue
            }
            #expect(failure.kind == kind)
        }
    }

    @Test func `A sentinel gets no login, and names the primary`() throws {
        let address = try RedisAddress("redis+sentinel://u:secret@h/main/2")
        let question = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
        let greeting = Changing(RedisGreeting(address, asksRole: true))
        #expect(greeting.change({ $0.begin() }) == [RedisCommand("HELLO", "3", "SETNAME", "resthost")])
        #expect(greeting.change({ $0.receive(.map([])) }) == .send([question]))
        let named = RedisValue.array([text("10.0.0.1"), text("6379")])
        #expect(greeting.change({ $0.receive(named) }) == .named(host: "10.0.0.1", port: 6379))
        let old = steps(RedisGreeting(address), .error("ERR unknown command `HELLO`"), named)
        #expect(old == [.send([question]), .named(host: "10.0.0.1", port: 6379)])
        let rows: [(RedisValue, String)] = [
            (.null, "knows no primary main"), (.error("ERR unknown command 'SENTINEL'"), "no sentinel"),
            (.array([text("h"), text("x")]), "another form"),
            (.array([text("h"), text("0")]), "another form"),
            (.error("NOAUTH x"), "NOAUTH"), (.array([text("h\nx"), text("1")]), "another form"),
        ]
        for (reply, part) in rows {
            guard case .failed(let failure)? = steps(RedisGreeting(address), .map([]), reply).last else {
                Issue.record("no failure of \(reply)")
                continue
            }
            #expect(failure.message.contains(part))
        }
    }

    // MARK: Failures for operators

    @Test func `Each kind of failure begins once and ends once`() {
        let periods = Changing(FailurePeriods())
        #expect(periods.change({ $0.fail(RedisFailure(.timedOut, ""), at: 0) }))
        #expect(!periods.change({ $0.fail(RedisFailure(.timedOut, ""), at: 1) }))
        #expect(periods.change({ $0.fail(RedisFailure(.full, ""), at: 1) }))
        #expect(periods.change({ $0.succeed(changing: false, at: 2) }).isEmpty)
        #expect(periods.change({ $0.succeed(changing: false, at: 3) }).map(\.kind) == [.timedOut])
        #expect(periods.change({ $0.succeed(changing: true, at: 3.5) }).map(\.kind) == [.full])
        #expect(periods.value.isEmpty)
        #expect(periods.change({ $0.fail(RedisFailure(.refused, ""), isOfConnection: true, at: 4) }))
        #expect(periods.change({ $0.fail(RedisFailure(.unreachable, ""), isOfConnection: true, at: 4) }))
        #expect(periods.value.worst?.kind == .unreachable)
        #expect(periods.change({ $0.connect() }).map(\.kind) == [.refused, .unreachable])
    }
}

/// A value that changes within an expectation.
private final class Changing<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
}
