/// A host's part in one load over hosts: it asks for the lease of a key, and then loads, or waits for the
/// entry of the host that has the lease. A value without side effects: its owner passes events and performs
/// the actions that it returns.
///
/// All times are seconds of the host's own uptime clock. From the server it takes durations alone, so clocks
/// of machines need not agree.
package struct LeaseState: Sendable {
    package enum Action: Sendable, Equatable {
        /// Read the entry, then call ``read(isFresh:at:)``.
        case read
        /// Ask for the lease, then call ``answered(_:at:)``.
        case ask
        /// Call ``timeIsOver(at:)`` at that time, and while ``isWaiting`` ``told(at:)`` at a message about
        /// the key.
        case wait(until: Double)
        /// Send the request, then call ``loaded(hasValue:)``. Without a grant the server doesn't get the
        /// value.
        case load(LeaseGrant?)
        /// Ask the server to prolong the lease. Its answer changes nothing: the numbers protect the value.
        case renew
        /// The entry that was read last is the result.
        case use
        /// Give the lease back, and wake those who wait. With `keeping` the server gets the value too, unless
        /// it has given a newer number.
        case finish(LeaseGrant?, keeping: Bool)
    }

    private enum State: Sendable, Equatable {
        case idle
        case reading(then: Next)
        case asking
        case waiting
        case loading(LeaseGrant?)
        case done
    }

    /// The step after an entry that can't be used.
    private enum Next: Sendable, Equatable {
        case ask
        case load(LeaseGrant)
    }

    private let rules: LeaseRules
    private var state = State.idle
    /// Since when the host knows that there was no entry.
    private var lookedAt = 0.0
    /// The number of the holder for which it waits, and of how many it has waited for.
    private var holder: Int64?
    private var holders = 0
    /// The data of the read or load under way is from before an invalidation.
    private var isOutdated = false
    /// The server may have granted the lease although its answer is missing.
    private var mayHold = false
    /// A message about the key was faster than the answer of the server.
    private var wasTold = false

    package init(_ rules: LeaseRules = LeaseRules()) { self.rules = rules }

    package var isDone: Bool { state == .done }
    package var isWaiting: Bool { state == .waiting }

    // MARK: Events

    /// - Parameter lookedAt: When a look for the entry began that found none; nil if there was no look.
    package mutating func started(lookedAt: Double? = nil, at now: Double) -> [Action] {
        guard state == .idle else { return [] }
        guard let lookedAt else { return look(at: now, then: .ask) }
        self.lookedAt = lookedAt
        return ask()
    }

    package mutating func read(isFresh: Bool, at now: Double) -> [Action] {
        guard case .reading(let next) = state else { return [] }
        let isUsable = isFresh && !isOutdated
        isOutdated = false
        switch (next, isUsable) {
        case (.ask, true): return end([.use])
        case (.ask, false): return ask()
        case (.load(let grant), true): return end([.finish(grant, keeping: false), .use])
        case (.load(let grant), false): return load(grant, at: now)
        }
    }

    package mutating func answered(_ answer: LeaseAnswer, at now: Double) -> [Action] {
        guard case .asking = state else { return [] }
        switch answer {
        case .granted(let grant, let sinceWrite):
            // Another host wrote between the look and the grant. Only durations are compared.
            if let sinceWrite, sinceWrite <= now - lookedAt { return look(at: now, then: .load(grant)) }
            return load(grant, at: now)
        case .held(let number, let seconds):
            if number != holder { (holder, holders) = (number, holders + 1) }
            guard holders <= rules.mostHolders else { return load(nil, at: now) }
            if wasTold { return look(at: now, then: .ask) }
            state = .waiting
            return [.wait(until: now + min(max(0, seconds), rules.seconds))]
        case .failed:
            mayHold = true
            return load(nil, at: now)
        }
    }

    /// The holder has ended, or messages may have been lost.
    package mutating func told(at now: Double) -> [Action] {
        if state == .asking { wasTold = true }
        guard state == .waiting else { return [] }
        return look(at: now, then: .ask)
    }

    /// The lease of the holder is over, if it has not renewed it; or it is time to renew the own one.
    package mutating func timeIsOver(at now: Double) -> [Action] {
        switch state {
        case .waiting: return ask()
        case .loading(_?): return [.wait(until: now + rules.renewalSeconds), .renew]
        case .idle, .reading, .asking, .loading(nil), .done: return []
        }
    }

    package mutating func loaded(hasValue: Bool) -> [Action] {
        guard case .loading(let grant) = state else { return [] }
        return leave(grant, keeping: hasValue && !isOutdated)
    }

    /// An invalidation has reached the host. Returns whether data is on its way that may be older; then later
    /// readers need another load.
    @discardableResult
    package mutating func outdated() -> Bool {
        switch state {
        case .reading, .loading: isOutdated = true
        case .idle, .asking, .waiting, .done: return false
        }
        return true
    }

    /// The host doesn't need the value any more.
    package mutating func cancelled() -> [Action] {
        switch state {
        case .asking:
            mayHold = true
            return leave(nil, keeping: false)
        case .reading(.load(let grant)): return leave(grant, keeping: false)
        case .loading(let grant): return leave(grant, keeping: false)
        case .reading(.ask), .waiting: return leave(nil, keeping: false)
        case .idle, .done: return end([])
        }
    }

    // MARK: Transitions

    private mutating func look(at now: Double, then next: Next) -> [Action] {
        lookedAt = now
        isOutdated = false
        state = .reading(then: next)
        return [.read]
    }

    private mutating func ask() -> [Action] {
        (state, wasTold) = (.asking, false)
        return [.ask]
    }

    private mutating func load(_ grant: LeaseGrant?, at now: Double) -> [Action] {
        isOutdated = false
        state = .loading(grant)
        // The load may end at once.
        let renewal = grant.map { _ in Action.wait(until: now + rules.renewalSeconds) }
        return (renewal.map { [$0] } ?? []) + [.load(grant)]
    }

    private mutating func leave(_ grant: LeaseGrant?, keeping: Bool) -> [Action] {
        end(grant != nil || mayHold ? [.finish(grant, keeping: keeping && grant != nil)] : [])
    }

    private mutating func end(_ actions: [Action]) -> [Action] {
        state = .done
        return actions
    }
}
