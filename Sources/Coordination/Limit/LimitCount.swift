/// The server's side of a limit: how many permits and tokens each host has. `CoordinationScripts.count` is
/// the same in the language of the server; the simulator and its tests use this one.
package struct LimitCount: Sendable {
    package struct Host: Sendable, Equatable {
        /// The number of its last message.
        package var number: Int64
        /// Its permits.
        package var has: Int
        package var wants: Int
        /// Since when it has got no more than its equal part.
        package var waitsSince: Double
        package var until: Double
    }

    package private(set) var hosts: [String: Host] = [:]
    /// Hosts for which there is a permit since the last message. They get a message each.
    package private(set) var woken: [String] = []
    private var tokens: Double?
    private var filledAt = 0.0

    package init() {}

    package func permits(at now: Double) -> Int {
        hosts.values.reduce(0) { $0 + ($1.until > now ? $1.has : 0) }
    }

    package mutating func answer(
        _ question: LimitQuestion, from name: String, _ limit: SharedLimit, at now: Double
    ) -> LimitAnswer {
        woken = []
        hosts = hosts.filter { $0.key == name || $0.value.until > now }
        if let known = hosts[name], known.number >= question.number {
            return LimitAnswer(hosts: hosts.count)
        }
        let permits = limit.inFlight.map { count(question, from: name, most: $0, at: now) }
        if permits == nil {
            hosts[name] = Host(
                number: question.number, has: 0, wants: 0, waitsSince: now, until: now + question.seconds)
        }
        var answer = LimitAnswer(permits: permits ?? 0, hosts: hosts.count)
        if let most = limit.inFlight {
            answer.isScarce = hosts.values.reduce(0) { $0 + $1.wants } > most
            woken = Array(
                hosts.filter { $0.key != name && $0.value.has < $0.value.wants }
                    .sorted { ($0.value.waitsSince, $0.key) < ($1.value.waitsSince, $1.key) }
                    .prefix(max(0, most - self.permits(at: now))).map(\.key))
        }
        if let rate = limit.rate { take(question, rate, limit.burst, into: &answer, at: now) }
        if question.permits == 0, question.holds == 0, question.tokens == 0 { hosts[name] = nil }
        return answer
    }

    /// Shares the permits by max-min fairness: hosts that want little get it, and the others get equal parts.
    /// The remainder goes to those that have gone without a part of it for the longest time.
    private mutating func count(
        _ question: LimitQuestion, from name: String, most: Int, at now: Double
    ) -> Int {
        var own = hosts[name] ?? Host(number: 0, has: 0, wants: 0, waitsSince: now, until: 0)
        own.number = question.number
        own.wants = question.permits
        own.until = now + question.seconds
        hosts[name] = own
        let taken = hosts.reduce(0) { $0 + ($1.key == name ? 0 : $1.value.has) }
        var (level, rest, left) = (0, most, hosts.count)
        // The level is the largest one at which all parts together are no more than the limit.
        for wants in hosts.values.map(\.wants).sorted() {
            level = max(level, min(wants, rest / left))
            if wants > rest / left { break }
            rest -= wants
            left -= 1
        }
        let remainder = most - hosts.values.reduce(0) { $0 + min($1.wants, level) }
        var target = min(own.wants, level)
        if own.wants > level {
            let before = hosts.count {
                $0.value.wants > level && ($0.value.waitsSince, $0.key) < (own.waitsSince, name)
            }
            if before < remainder { target += 1 }
        }
        let permits = max(0, min(target, most - taken))
        own.has = max(permits, question.holds)
        if permits >= own.wants || permits > level { own.waitsSince = now }
        hosts[name] = own
        return permits
    }

    private mutating func take(
        _ question: LimitQuestion, _ rate: Double, _ burst: Double, into answer: inout LimitAnswer,
        at now: Double
    ) {
        var tokens = tokens.map { min(burst, $0 + (now - filledAt) * rate) } ?? burst
        tokens = min(burst, tokens + question.returned)
        let part = max(1, Int((tokens / Double(hosts.count)).rounded(.up)))
        answer.tokens = max(0, min(question.tokens, part, Int(tokens)))
        tokens -= Double(answer.tokens)
        answer.nextToken = max(0, (1 - tokens) / rate)
        (self.tokens, filledAt) = (tokens, now)
    }
}
