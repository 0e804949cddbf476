import Testing

@testable import Coordination

@Suite final class LimitShareTests {
    private var share = LimitShare(SharedLimit(inFlight: 10, rate: nil, burst: 0))

    /// The macro can't call mutating functions itself.
    private func made<Value>(_ value: Value) -> Value { value }

    private func question(_ actions: [LimitShare.Action]) -> LimitQuestion? {
        for case .ask(let question) in actions { return question }
        return nil
    }

    /// Asks for the first time, and gets that many permits.
    private func begin(_ permits: Int, waiting: Int = 1, hosts: Int = 2, isScarce: Bool = false) {
        _ = share.update(LimitUse(waiting: waiting), at: 100)
        _ = share.answered(
            LimitAnswer(permits: permits, hosts: hosts, isScarce: isScarce), LimitUse(waiting: waiting),
            at: 100.01)
    }

    @Test func `The first request asks, and has a permit in advance for the next`() {
        let asked = question(made(share.update(LimitUse(waiting: 1), at: 100)))
        #expect(asked == LimitQuestion(number: 1, holds: 0, permits: 2))
        #expect(share.permits == 0)
        _ = share.answered(LimitAnswer(permits: 2, hosts: 1), LimitUse(waiting: 1), at: 100.01)
        #expect(share.permits == 2)
    }

    @Test func `A host that has used its permits asks before another request comes`() {
        begin(2)
        #expect(question(made(share.update(LimitUse(inFlight: 1, started: 1), at: 100.02))) == nil)
        let asked = question(made(share.update(LimitUse(inFlight: 2, started: 2), at: 100.03)))
        #expect(asked?.permits == 3 && asked?.holds == 2)
    }

    @Test func `A host that lacks permits waits for a message, and asks by itself later`() {
        begin(0)
        let use = LimitUse(waiting: 1)
        #expect(made(share.update(use, at: 100.02)) == [.wait(until: 100.01 + LimitShare.retrySeconds)])
        #expect(question(made(share.woken(use, at: 100.03))) != nil)
    }

    @Test func `Permits that others lack are given back as soon as they are not used`() {
        begin(2, waiting: 2, isScarce: true)
        #expect(question(made(share.update(LimitUse(inFlight: 2, started: 2), at: 100.02))) == nil)
        let asked = question(made(share.update(LimitUse(inFlight: 1, started: 2), at: 100.03)))
        #expect(asked == LimitQuestion(number: 2, holds: 1, permits: 1))
        #expect(share.permits == 1)
    }

    @Test func `A host with nothing to do gives everything back`() {
        begin(2)
        _ = share.update(LimitUse(inFlight: 1, started: 1), at: 100.02)
        let renewal = question(made(share.update(LimitUse(started: 1), at: 100.6)))
        #expect(renewal?.permits == 1)
        _ = share.answered(LimitAnswer(permits: 1, hosts: 1), LimitUse(started: 1), at: 100.61)
        let last = question(made(share.update(LimitUse(started: 1), at: 101.2)))
        #expect(last == LimitQuestion(number: 3, holds: 0))
        #expect(made(share.answered(LimitAnswer(hosts: 0), LimitUse(started: 1), at: 101.21)) == [])
        #expect(share.isIdle(LimitUse(started: 1)))
    }

    @Test func `One slow answer changes nothing, and the second sends requests on with a part of the limit`()
    {
        begin(4, hosts: 3)
        let use = LimitUse(inFlight: 4, waiting: 1, started: 4)
        #expect(question(made(share.update(use, at: 100.02))) != nil)
        #expect(
            made(share.answered(nil, use, at: 100.07)) == [.wait(until: 100.07 + LimitShare.retrySeconds)])
        #expect(share.hostsWhenAlone == nil && share.permits == 4)
        #expect(question(made(share.update(use, at: 100.4))) != nil)
        _ = share.answered(nil, use, at: 100.45)
        #expect(share.hostsWhenAlone == 3 && share.permits == 3)
        #expect(question(made(share.update(use, at: 101))) != nil)
        _ = share.answered(LimitAnswer(permits: 5, hosts: 2), use, at: 101.01)
        #expect(share.hostsWhenAlone == nil && share.permits == 5)
    }

    @Test func `Without a first answer the host takes the whole limit at once`() {
        let use = LimitUse(waiting: 1)
        _ = share.update(use, at: 100)
        _ = share.answered(nil, use, at: 100.05)
        #expect(share.hostsWhenAlone == 1 && share.permits == 10)
    }

    @Test func `A worker knows of the others without an answer`() {
        share = LimitShare(SharedLimit(inFlight: 10, rate: nil, burst: 0), leastHosts: 4)
        let use = LimitUse(waiting: 1)
        _ = share.update(use, at: 100)
        _ = share.answered(nil, use, at: 100.05)
        #expect(share.hostsWhenAlone == 4 && share.permits == 2)
    }

    @Test func `Tokens are asked for in advance, about a tenth of a second's`() {
        share = LimitShare(SharedLimit(inFlight: nil, rate: 100, burst: 50))
        let first = question(made(share.update(LimitUse(waiting: 1), at: 100)))
        #expect(first?.tokens == 2)
        _ = share.answered(LimitAnswer(tokens: 2, hosts: 1), LimitUse(waiting: 1), at: 100.01)
        // 20 requests in 0.2 s, and the tokens are used up.
        let next = question(made(share.update(LimitUse(inFlight: 3, tokens: 0, started: 20), at: 100.2)))
        #expect(next?.tokens == 10)
        #expect(share.permits == nil)
    }

    @Test func `Tokens that are not needed go back`() {
        share = LimitShare(SharedLimit(inFlight: nil, rate: 100, burst: 50))
        _ = share.update(LimitUse(waiting: 1), at: 100)
        _ = share.answered(LimitAnswer(tokens: 2, hosts: 1), LimitUse(waiting: 1), at: 100.01)
        let use = LimitUse(tokens: 30, started: 1)
        _ = share.update(use, at: 100.6)
        _ = share.answered(LimitAnswer(hosts: 1), use, at: 100.61)
        #expect(question(made(share.update(use, at: 101.2)))?.returned == 30)
    }

    @Test func `A lower limit counts at once`() {
        begin(8)
        share.set(SharedLimit(inFlight: 3, rate: nil, burst: 0))
        #expect(share.permits == 3)
    }
}
