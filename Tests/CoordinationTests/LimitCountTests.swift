import Testing

@testable import Coordination

@Suite final class LimitCountTests {
    private var count = LimitCount()
    private var limit = SharedLimit(inFlight: 10, rate: nil, burst: 0)
    private var number: Int64 = 0

    private func ask(
        _ host: String, holds: Int = 0, _ permits: Int = 0, tokens: Int = 0, returned: Double = 0,
        at now: Double
    ) -> LimitAnswer {
        number += 1
        return count.answer(
            LimitQuestion(number: number, holds: holds, permits: permits, tokens: tokens, returned: returned),
            from: host, limit, at: now)
    }

    @Test func `A host gets what it wants while there is room`() {
        #expect(ask("a", 4, at: 0).permits == 4)
        #expect(ask("b", 6, at: 0).permits == 6)
    }

    @Test func `Hosts that want more than there is get equal parts, and one that wants less gets it all`() {
        #expect(ask("a", 9, at: 0).permits == 9)
        let second = ask("b", 2, at: 0.1)
        #expect(second.permits == 1 && second.isScarce)
        #expect(ask("a", holds: 3, 9, at: 0.2).permits == 8)
        #expect(ask("b", 2, at: 0.3).permits == 2)
        #expect(ask("c", 9, at: 0.4).permits == 0)
        #expect(ask("a", holds: 4, 9, at: 0.5).permits == 4)
        #expect(ask("c", 9, at: 0.6).permits == 4)
    }

    @Test func `Two hosts take turns with the only permit`() {
        limit.inFlight = 1
        #expect(ask("a", 1, at: 0).permits == 1)
        #expect(ask("b", 1, at: 0.1).permits == 0)
        // It has another request; then the permit is b's.
        #expect(ask("a", holds: 1, 1, at: 0.2).permits == 1)
        #expect(ask("a", holds: 1, 1, at: 0.25).permits == 0)
        #expect(ask("b", 1, at: 0.3).permits == 0)
        _ = ask("a", 1, at: 0.4)
        #expect(count.woken == ["b"])
        #expect(ask("b", 1, at: 0.5).permits == 1)
        #expect(ask("b", holds: 1, 1, at: 0.6).permits == 0)
        #expect(ask("b", 1, at: 0.7).permits == 0 && count.woken == ["a"])
        #expect(ask("a", 1, at: 0.8).permits == 1)
    }

    @Test func `A host that is silent loses its permits after its lease`() {
        #expect(ask("a", 10, at: 0).permits == 10)
        #expect(ask("b", 10, at: 1.9).permits == 0)
        #expect(ask("b", 10, at: 2.1).permits == 10)
    }

    @Test func `Permits that a host holds count in any case`() {
        _ = ask("a", 10, at: 0)
        _ = ask("b", 10, at: 0.1)
        #expect(ask("a", holds: 10, 10, at: 0.2).permits == 5)
        #expect(ask("b", 10, at: 0.3).permits == 0)
        _ = ask("a", holds: 5, 10, at: 0.4)
        #expect(ask("b", 10, at: 0.5).permits == 5)
    }

    @Test func `A message that another has overtaken changes nothing`() {
        _ = count.answer(LimitQuestion(number: 2, holds: 3, permits: 3), from: "a", limit, at: 0)
        #expect(count.answer(LimitQuestion(number: 1, holds: 0), from: "a", limit, at: 0.1).permits == 0)
        #expect(count.permits(at: 0.1) == 3)
    }

    @Test func `Tokens come at the rate, and no host gets more than its part of the reserve`() {
        limit = SharedLimit(inFlight: nil, rate: 10, burst: 20)
        #expect(ask("a", 1, tokens: 50, at: 0).tokens == 20)
        let empty = ask("b", 1, tokens: 1, at: 0)
        #expect(empty.tokens == 0 && empty.nextToken == 0.1)
        #expect(ask("b", 1, tokens: 20, at: 1).tokens == 5)
        _ = ask("a", 1, returned: 3, at: 1)
        #expect(ask("b", 1, tokens: 20, at: 1).tokens == 4)
    }
}
