import TestSupport
import Testing

@testable import RestEngine

struct TokenBucketTests {
    @Test func `42.4: a burst, then the rate`() {
        var bucket = TokenBucket(rate: 10, burst: 5)
        #expect((0..<20).filter { _ in bucket.take(at: 100) }.count == 5)
        #expect(bucket.nextTime(at: 100) == 100.1)
        var taken = 0
        for step in 1...1000 { if bucket.take(at: 100 + Double(step) * 0.01) { taken += 1 } }
        #expect(taken == 100)
        #expect((0..<20).filter { _ in bucket.take(at: 1000) }.count == 5, "a rest fills it, no more")
    }

    @Test func `42.5: a pause, and what is left until a reset`() {
        var bucket = TokenBucket(rate: 100, burst: 100)
        bucket.pause(seconds: 30, at: 0)
        #expect(bucket.take(at: 29.9) == false && bucket.nextTime(at: 10) == 30 && bucket.rest(at: 10) == 20)
        #expect(bucket.take(at: 30) == true)
        bucket.learn(left: 2, seconds: 60, at: 30)
        #expect((0..<10).filter { _ in bucket.take(at: 31) }.count == 2)
        #expect(bucket.nextTime(at: 31) == 90)
        bucket.learn(left: 5, seconds: 58, at: 32)
        #expect(bucket.take(at: 32) == false, "an older answer, which did not know of the last ones")
        #expect(bucket.take(at: 90) == true)
        bucket.learn(rate: 1, at: 90)
        #expect(bucket.effectiveRate == 1)
        bucket.learn(rate: 1000, at: 90)
        #expect(bucket.effectiveRate == 100, "never more than was asked for")
    }

    @Test func `requests that may not wait make others wait longer`() {
        var bucket = TokenBucket(rate: 1, burst: 1)
        bucket.takeAnyway(at: 0)
        bucket.takeAnyway(at: 0)
        #expect(bucket.nextTime(at: 0) == 2)
    }
}

struct LimitStateTests {
    private func names(_ list: inout WaitingList, at uptime: Double = 0) -> [UInt64] {
        var names: [UInt64] = []
        while let id = list.next(at: uptime) { names.append(id) }
        return names
    }

    private func entry(_ id: UInt64, _ priority: Int, _ queueKey: String = "a", ripe: Double = 100)
        -> WaitingList.Entry
    {
        WaitingList.Entry(id: id, priority: priority, queueKey: queueKey, ripe: ripe)
    }

    @Test func `42.2: the highest priority first, then the order of coming`() {
        var list = WaitingList()
        for (id, priority) in [(1, 0), (2, 5), (3, -1), (4, 5), (5, 0)] {
            list.append(entry(UInt64(id), priority))
        }
        #expect(list.count == 5)
        #expect(names(&list) == [2, 4, 1, 5, 3])
        #expect(list.isEmpty)
    }

    @Test func `42.3: services take turns`() {
        var list = WaitingList()
        for id in 1...6 as ClosedRange<UInt64> { list.append(entry(id, 0, "busy")) }
        list.append(entry(7, 0, "other"))
        list.append(entry(8, 0, "third"))
        #expect(names(&list) == [1, 7, 8, 2, 3, 4, 5, 6])
    }

    @Test func `42.3: requests that have waited half of their time get every fourth slot`() {
        var list = WaitingList()
        list.append(entry(1, 0, ripe: 5))
        for id in 2...10 as ClosedRange<UInt64> { list.append(entry(id, 9, "b")) }
        var early = list
        let late = names(&early, at: 4.9)
        #expect(late.last == 1)
        let ripe = names(&list, at: 5)
        #expect(ripe.firstIndex(of: 1) == 3)
    }

    @Test func `a caller that leaves is skipped`() {
        var list = WaitingList()
        for id in 1...1000 as ClosedRange<UInt64> { list.append(entry(id, Int(id % 7), "\(id % 3)")) }
        for id in 1...1000 as ClosedRange<UInt64> where id % 10 != 0 { #expect(list.remove(id) == true) }
        #expect(list.remove(1) == false && list.count == 100)
        let left = names(&list)
        #expect(left.count == 100 && left.allSatisfy { $0 % 10 == 0 })
        #expect(left.map { Int($0 % 7) } == left.map { Int($0 % 7) }.sorted(by: >))
    }

    @Test func `in flight, queue and its end`() {
        var limits = RequestLimits(inFlight: 2)
        limits.queue = 1
        var state = LimitState(limits)
        func admit(_ id: UInt64) -> LimitState.Admission {
            state.admit(id, priority: 0, queueKey: "a", timeout: 10, at: 0)
        }
        #expect([admit(1), admit(2), admit(3), admit(4)] == [.go, .go, .wait, .queueFull(limit: 1)])
        #expect(state.next(at: 0) == nil)
        state.leave()
        #expect(state.next(at: 0) == 3 && state.next(at: 0) == nil && state.inFlight == 2)
        state.leave()
        state.leave()
        #expect(state.isIdle(at: 0))
    }

    @Test func `42.4: a rate tells at once who would wait in vain`() {
        var state = LimitState(RequestLimits(rate: .init(requests: 1, per: .seconds(20))))
        #expect(state.admit(1, priority: 0, queueKey: "a", timeout: 10, at: 0) == .go)
        #expect(state.admit(2, priority: 0, queueKey: "a", timeout: 10, at: 0) == .limited(until: 20))
        #expect(state.admit(3, priority: 0, queueKey: "a", timeout: 10, at: 11) == .wait)
        #expect(state.nextTime(at: 11) == 20 && state.next(at: 19) == nil && state.next(at: 20) == 3)
    }

    @Test func `42.5: it learns from 429 and 503, and from the fields of every answer`() {
        var state = LimitState(RequestLimits(rate: .init(requests: 100)))
        let none = RateLimitFields(Headers(), now: 0)
        #expect(state.learn(status: 200, retryAfter: .seconds(5), none, at: 0) == nil)
        #expect(state.admit(1, priority: 0, queueKey: "a", timeout: 10, at: 0) == .go)
        #expect(state.learn(status: 429, retryAfter: .seconds(5), none, at: 0) != nil)
        #expect(state.admit(2, priority: 0, queueKey: "a", timeout: 1, at: 0) == .limited(until: 5))
        #expect(state.learn(status: 503, retryAfter: .seconds(1e9), none, at: 5) != nil)
        #expect(state.bucket?.rest(at: 5) == LimitState.longestPause)
    }
}

struct CircuitBreakerTests {
    private var policy = BreakerPolicy()

    @Test func `43.1: it opens by ratio, lets one probe through, and closes or opens again`() {
        var breaker = CircuitBreaker()
        var changes = 0
        for number in 0..<20 {
            #expect(breaker.admit(at: 1) == .pass)
            if breaker.note(isFailure: number % 2 == 1, wasProbe: false, policy, at: 1) { changes += 1 }
        }
        #expect(changes == 1 && breaker.state == .open(until: 6))
        #expect(breaker.admit(at: 5.9) == .refuse(until: 6) && breaker.isRefusing(at: 5.9) == 6)
        #expect(breaker.admit(at: 6) == .probe)
        #expect(breaker.admit(at: 6) == .refuse(until: 6), "one probe")
        #expect(
            breaker.note(isFailure: true, wasProbe: true, policy, at: 7) == true
                && breaker.state == .open(until: 12))
        #expect(breaker.admit(at: 12) == .probe)
        #expect(
            breaker.note(isFailure: false, wasProbe: true, policy, at: 13) == true && breaker.state == .closed
        )
        #expect(breaker.counted == (0, 0))
    }

    @Test func `too few answers and old ones say nothing`() {
        var breaker = CircuitBreaker()
        for _ in 0..<19 { #expect(breaker.note(isFailure: true, wasProbe: false, policy, at: 1) == false) }
        #expect(breaker.note(isFailure: true, wasProbe: false, policy, at: 11.5) == false)
        #expect(breaker.counted == (1, 1))
    }

    @Test func `a success does not open it, whatever was before`() {
        var breaker = CircuitBreaker()
        for _ in 0..<19 { _ = breaker.note(isFailure: true, wasProbe: false, policy, at: 1) }
        #expect(
            breaker.note(isFailure: false, wasProbe: false, policy, at: 1) == false
                && breaker.state == .closed)
        #expect(breaker.note(isFailure: true, wasProbe: false, policy, at: 1) == true)
    }

    @Test func `a probe without outcome leaves the place to the next`() {
        var breaker = CircuitBreaker()
        for _ in 0..<20 { _ = breaker.note(isFailure: true, wasProbe: false, policy, at: 0) }
        #expect(breaker.admit(at: 5) == .probe)
        breaker.abandonProbe()
        #expect(breaker.admit(at: 5) == .probe)
        // Requests in flight at its opening don't count.
        #expect(breaker.note(isFailure: false, wasProbe: false, policy, at: 5) == false)
        #expect(breaker.state == .halfOpen(isProbed: true))
    }
}
