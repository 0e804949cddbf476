/// A host's share of a limit that all hosts have together. The host gets permits and tokens from the server
/// in advance, as many as it needs for a moment, so a request waits for no answer while there is room. A
/// value without side effects: its owner passes events and performs the actions that it returns.
///
/// All times are seconds of the host's own uptime clock.
package struct LimitShare: Sendable {
    package enum Action: Sendable, Equatable {
        /// Take the returned tokens away, send the message, then call ``answered(_:_:at:)``.
        case ask(LimitQuestion)
        /// Call ``update(_:at:)`` at that time, or before.
        case wait(until: Double)
    }

    /// How long the server counts the permits of a host that sends nothing.
    package static let leaseSeconds = 2.0
    /// Between two messages of a host that uses the limit.
    static let renewalSeconds = 0.5
    /// Until a host asks again, if no message has come that there is something for it.
    static let retrySeconds = 0.25
    /// Until a host that works alone tries the server again.
    static let aloneSeconds = 0.5
    /// The longest wait for a token that the server has named: another host may return one.
    static let longestTokenWait = 1.0

    package private(set) var limit: SharedLimit
    /// Requests that may be in flight here; nil for any number.
    package private(set) var permits: Int?
    /// The number of hosts, as far as it is known, while the server doesn't answer; nil while it does. The
    /// host then takes an equal part of the limit.
    package private(set) var hostsWhenAlone: Int?
    /// The permits that the server counts for this host.
    private var counted = 0
    /// Until when it does.
    private var countedUntil = -Double.infinity
    /// The last message had no answer.
    private var isUnanswered = false
    private var question: LimitQuestion?
    private var number: Int64 = 0
    private var isScarce = false
    /// The server has given all that the host wanted last, and there may be more.
    private var mayHaveMore = true
    /// Another message is useless before.
    private var notBefore = -Double.infinity
    private var renewsAt = Double.infinity
    private var askedAt = -Double.infinity
    private var startedWhenAsked = 0
    /// Tokens to have in advance.
    private var reserve = 1
    private var hosts: Int
    private let leastHosts: Int

    /// - Parameter leastHosts: Of which the host knows without an answer: the workers of its machine.
    package init(_ limit: SharedLimit, leastHosts: Int = 1) {
        self.limit = limit
        self.leastHosts = max(1, leastHosts)
        hosts = self.leastHosts
        permits = limit.inFlight.map { _ in 0 }
    }

    /// The host has neither permits nor tokens, and asks for none.
    package func isIdle(_ use: LimitUse) -> Bool {
        use.inFlight == 0 && use.waiting == 0 && use.tokens < 1 && counted == 0 && question == nil
    }

    package mutating func set(_ limit: SharedLimit) {
        guard limit != self.limit else { return }
        self.limit = limit
        mayHaveMore = true
        notBefore = -.infinity
        if let hostsWhenAlone {
            permits = limit.inFlight.map { Self.part(of: $0, hostsWhenAlone) }
        } else {
            permits = limit.inFlight.map { min(permits ?? counted, $0) }
        }
    }

    // MARK: Events

    /// The use has changed, or the time of a ``Action/wait(until:)`` has come.
    package mutating func update(_ use: LimitUse, at now: Double) -> [Action] {
        guard question == nil else { return [] }
        guard hostsWhenAlone == nil else {
            guard isUsed(use) else { return [] }
            return now >= notBefore ? ask(use, at: now) : [.wait(until: notBefore)]
        }
        let kept = isScarce ? use.inFlight + use.waiting : permits ?? 0
        if counted > max(min(kept, permits ?? 0), use.inFlight) { return ask(use, at: now) }
        let lacks = lacksPermit(use) || (limit.rate != nil && use.tokens < 1)
        guard isUsed(use) || counted > 0 || use.tokens >= 1 else { return [] }
        var time = renewsAt
        if use.waiting > 0, lacks {
            time = min(time, notBefore)
        } else if mayHaveMore, isUsed(use), lacksPermit(use) || lacksReserve(use) {
            time = now
        }
        return now >= time ? ask(use, at: now) : [.wait(until: time)]
    }

    /// Another host has given something back.
    package mutating func woken(_ use: LimitUse, at now: Double) -> [Action] {
        if use.waiting > 0 { notBefore = -.infinity }
        return update(use, at: now)
    }

    /// - Parameters:
    ///   - answer: Nil: the server can't be used, or was too slow.
    ///   - use: The use of now, without the tokens of the answer. They belong to the host from now on.
    package mutating func answered(_ answer: LimitAnswer?, _ use: LimitUse, at now: Double) -> [Action] {
        guard let asked = question else { return [] }
        question = nil
        guard let answer else { return noAnswer(use, at: now) }
        (hostsWhenAlone, isUnanswered) = (nil, false)
        countedUntil = askedAt + Self.leaseSeconds
        (hosts, isScarce) = (max(1, answer.hosts), answer.isScarce)
        if limit.inFlight != nil {
            permits = answer.permits
            counted = max(answer.permits, asked.holds)
        }
        let hasPermits = limit.inFlight == nil || answer.permits >= asked.permits
        let hasTokens = limit.rate == nil || answer.tokens >= asked.tokens
        let hasAll = limit.inFlight.map { answer.permits >= $0 } ?? false
        mayHaveMore = hasPermits && hasTokens && !hasAll && !isScarce
        notBefore = hasPermits && !hasAll ? -.infinity : now + Self.retrySeconds
        if !hasTokens {
            notBefore = max(notBefore, now + min(max(answer.nextToken, 0.001), Self.longestTokenWait))
        }
        renewsAt = now + Self.renewalSeconds
        var use = use
        use.tokens += Double(answer.tokens)
        return update(use, at: now)
    }

    /// One message may be slow. After the second, or without permits, requests go on with a part of the
    /// limit.
    private mutating func noAnswer(_ use: LimitUse, at now: Double) -> [Action] {
        if !isUnanswered, hostsWhenAlone == nil, now < countedUntil {
            isUnanswered = true
            notBefore = now + Self.retrySeconds
            renewsAt = notBefore
            return update(use, at: now)
        }
        let hosts = max(hosts, leastHosts)
        hostsWhenAlone = hosts
        permits = limit.inFlight.map { Self.part(of: $0, hosts) }
        counted = 0
        notBefore = now + Self.aloneSeconds
        return isUsed(use) ? [.wait(until: notBefore)] : []
    }

    // MARK: Questions

    private func isUsed(_ use: LimitUse) -> Bool {
        use.inFlight > 0 || use.waiting > 0 || use.started > startedWhenAsked
    }

    private func lacksPermit(_ use: LimitUse) -> Bool { permits.map { use.inFlight >= $0 } ?? false }

    private func lacksReserve(_ use: LimitUse) -> Bool {
        limit.rate != nil && use.tokens < Double(reserve) / 2
    }

    private mutating func ask(_ use: LimitUse, at now: Double) -> [Action] {
        let started = use.started - startedWhenAsked
        let isUsed = isUsed(use)
        reserve = isUsed ? newReserve(started, after: now - askedAt) : 0
        (askedAt, startedWhenAsked) = (now, use.started)
        number += 1
        var new = LimitQuestion(number: number, holds: use.inFlight)
        if isUsed {
            let needed = use.inFlight + use.waiting
            new.permits = min(limit.inFlight ?? .max, needed + (isScarce ? 0 : max(1, needed / 4)))
        }
        if hostsWhenAlone == nil, let permits {
            new.holds = max(use.inFlight, min(permits, new.permits))
            self.permits = min(permits, new.holds)
        }
        if limit.rate != nil {
            // Tokens for requests that lack a permit would lie about.
            let waiting = permits.map { min(use.waiting, max(0, $0 - use.inFlight)) } ?? use.waiting
            let wanted = Double(waiting + reserve) - use.tokens
            if wanted > 0 {
                new.tokens = Int(min(wanted.rounded(.up), max(1, limit.burst)))
            } else {
                new.returned = min(max(0, use.tokens), max(0, -wanted - Double(reserve)))
            }
        }
        question = new
        return [.ask(new)]
    }

    /// Tokens for about a tenth of a second, and never more than an equal part of the burst.
    private func newReserve(_ started: Int, after seconds: Double) -> Int {
        let perTenth = Double(started) * min(1, 0.1 / max(seconds, 0.001))
        let most = max(1, limit.burst / Double(hosts))
        return max(1, Int(min(perTenth.rounded(.up), most)))
    }

    /// An equal part of a limit, and at least one.
    package static func part(of number: Int, _ hosts: Int) -> Int { max(1, number / hosts) }
}
