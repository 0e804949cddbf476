import Testing

@testable import Coordination

@Suite final class LeaseStateTests {
    private var state = LeaseState(LeaseRules(seconds: 6))
    private let grant = LeaseGrant(number: 7, generation: 1)

    /// The macro can't call mutating functions itself.
    private func made<Value>(_ value: Value) -> Value { value }

    /// The actions of a holder.
    private func load(at now: Double) -> [LeaseState.Action] { [.wait(until: now + 2), .load(grant)] }

    private func holds() {
        _ = state.started(lookedAt: 99, at: 100)
        _ = state.answered(.granted(grant, sinceWrite: nil), at: 100.01)
    }

    private func waits() {
        _ = state.started(lookedAt: 99, at: 100)
        _ = state.answered(.held(number: 6, seconds: 4), at: 100.01)
    }

    @Test func `The first host loads, and the server gets its value`() {
        #expect(made(state.started(at: 100)) == [.read])
        #expect(made(state.read(isFresh: false, at: 100.01)) == [.ask])
        #expect(made(state.answered(.granted(grant, sinceWrite: nil), at: 100.02)) == load(at: 100.02))
        #expect(made(state.loaded(hasValue: true)) == [.finish(grant, keeping: true)])
        #expect(state.isDone)
    }

    @Test func `An entry that is there already is the result`() {
        _ = state.started(at: 100)
        #expect(made(state.read(isFresh: true, at: 100.01)) == [.use])
        #expect(state.isDone)
    }

    @Test func `Another host waits, and uses the entry at a message`() {
        #expect(made(state.started(lookedAt: 99.9, at: 100)) == [.ask])
        #expect(made(state.answered(.held(number: 6, seconds: 4), at: 100.01)) == [.wait(until: 104.01)])
        #expect(state.isWaiting)
        #expect(made(state.told(at: 101)) == [.read])
        #expect(made(state.read(isFresh: true, at: 101.01)) == [.use])
    }

    @Test func `A message may be faster than the refusal`() {
        #expect(made(state.started(lookedAt: 99.9, at: 100)) == [.ask])
        #expect(made(state.told(at: 100.005)) == [])
        #expect(made(state.answered(.held(number: 6, seconds: 4), at: 100.01)) == [.read])
        #expect(made(state.read(isFresh: false, at: 100.02)) == [.ask])
        #expect(made(state.answered(.held(number: 6, seconds: 4), at: 100.03)) == [.wait(until: 104.03)])
    }

    @Test func `It asks again if the holder had no value`() {
        waits()
        #expect(made(state.told(at: 101)) == [.read])
        #expect(made(state.read(isFresh: false, at: 101.01)) == [.ask])
        #expect(made(state.answered(.granted(grant, sinceWrite: nil), at: 101.02)) == load(at: 101.02))
    }

    @Test func `It takes the lease over when its time is over`() {
        waits()
        #expect(made(state.timeIsOver(at: 104.01)) == [.ask])
        #expect(made(state.answered(.granted(grant, sinceWrite: nil), at: 104.02)) == load(at: 104.02))
    }

    @Test func `It waits as long as the holder renews its lease`() {
        waits()
        for time in [104.01, 108.0, 112, 116] {
            #expect(made(state.timeIsOver(at: time)) == [.ask])
            #expect(made(state.answered(.held(number: 6, seconds: 4), at: time)) == [.wait(until: time + 4)])
        }
    }

    @Test func `After two holders without a value it loads by itself`() {
        waits()
        #expect(made(state.timeIsOver(at: 104.01)) == [.ask])
        #expect(made(state.answered(.held(number: 7, seconds: 60), at: 104.02)) == [.wait(until: 110.02)])
        #expect(made(state.told(at: 105)) == [.read])
        #expect(made(state.read(isFresh: false, at: 105.01)) == [.ask])
        #expect(made(state.answered(.held(number: 8, seconds: 6), at: 105.02)) == [.load(nil)])
        #expect(made(state.loaded(hasValue: true)) == [])
    }

    @Test func `A holder renews its lease until its load ends`() {
        holds()
        #expect(made(state.timeIsOver(at: 102)) == [.wait(until: 104), .renew])
        #expect(made(state.timeIsOver(at: 104)) == [.wait(until: 106), .renew])
        _ = state.loaded(hasValue: true)
        #expect(made(state.timeIsOver(at: 106)) == [])
    }

    @Test func `A load without a grant renews nothing`() {
        _ = state.started(lookedAt: 99, at: 100)
        _ = state.answered(.failed, at: 100.05)
        #expect(made(state.timeIsOver(at: 102)) == [])
    }

    @Test func `A value that was written between look and grant is used`() {
        #expect(made(state.started(lookedAt: 99.5, at: 100)) == [.ask])
        #expect(made(state.answered(.granted(grant, sinceWrite: 0.3), at: 100.01)) == [.read])
        #expect(made(state.read(isFresh: true, at: 100.02)) == [.finish(grant, keeping: false), .use])
    }

    @Test func `A value that was written before the look is not read again`() {
        _ = state.started(lookedAt: 99.5, at: 100)
        #expect(made(state.answered(.granted(grant, sinceWrite: 0.6), at: 100.01)) == load(at: 100.01))
    }

    @Test func `Without an answer it loads at once, and gives back what it may have`() {
        _ = state.started(lookedAt: 99, at: 100)
        #expect(made(state.answered(.failed, at: 100.05)) == [.load(nil)])
        #expect(made(state.loaded(hasValue: true)) == [.finish(nil, keeping: false)])
    }

    @Test func `A holder that was paused still gives its number, and the server decides`() {
        holds()
        // Its lease ended at 106. The number shows whether another host came in between.
        #expect(made(state.loaded(hasValue: true)) == [.finish(grant, keeping: true)])
    }

    @Test func `A load that failed gives nothing`() {
        holds()
        #expect(made(state.loaded(hasValue: false)) == [.finish(grant, keeping: false)])
    }

    @Test func `A load from before an invalidation gives nothing`() {
        holds()
        #expect(made(state.outdated()))
        #expect(made(state.loaded(hasValue: true)) == [.finish(grant, keeping: false)])
    }

    @Test func `An entry from before an invalidation is not used`() {
        waits()
        _ = state.told(at: 101)
        #expect(made(state.outdated()))
        #expect(made(state.read(isFresh: true, at: 101.01)) == [.ask])
    }

    @Test func `An invalidation during a wait changes nothing`() {
        waits()
        #expect(!made(state.outdated()))
        _ = state.told(at: 101)
        #expect(made(state.read(isFresh: true, at: 101.01)) == [.use])
    }

    @Test func `A cancelled holder gives the lease back`() {
        holds()
        #expect(made(state.cancelled()) == [.finish(grant, keeping: false)])
        #expect(made(state.loaded(hasValue: true)) == [])
    }

    @Test func `A cancelled question may have been granted`() {
        _ = state.started(lookedAt: 99, at: 100)
        #expect(made(state.cancelled()) == [.finish(nil, keeping: false)])
        #expect(made(state.answered(.granted(grant, sinceWrite: nil), at: 100.01)) == [])
    }

    @Test func `A cancelled wait leaves nothing behind`() {
        waits()
        #expect(made(state.cancelled()) == [])
        #expect(made(state.told(at: 101)) == [])
        #expect(made(state.timeIsOver(at: 104.01)) == [])
    }

    @Test func `Events for another state change nothing`() {
        #expect(made(state.told(at: 1)) == [] && made(state.loaded(hasValue: true)) == [])
        #expect(made(state.read(isFresh: true, at: 1)) == [] && made(state.answered(.failed, at: 1)) == [])
        #expect(made(state.started(lookedAt: 0, at: 1)) == [.ask])
        #expect(made(state.started(lookedAt: 0, at: 1)) == [])
        #expect(made(state.loaded(hasValue: true)) == [] && made(state.told(at: 1)) == [])
    }
}
