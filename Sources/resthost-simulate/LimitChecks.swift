import Coordination

/// The promises of limits that hosts share, as assertions, and their figures. They are about calls with an
/// answer of the server; a host without one takes a part of the limit, which nobody counts.
final class LimitChecks {
    private unowned let world: World
    /// Calls in flight, by host.
    private var inFlight: [Int: Int] = [:]
    private var sum = 0
    private var tokens: Double
    private var filledAt = 0.0
    /// Before that time the server, or a host, may not know of calls in flight.
    private var validSince = 0.0
    private(set) var calls = 0
    private(set) var callsAlone = 0
    private(set) var callsGivenUp = 0
    private(set) var waits: [Double] = []
    var messages = 0

    init(_ world: World) {
        self.world = world
        tokens = Self.mostTokens(world.scenario.limit)
    }

    /// Hosts have some in advance: a tenth of a second's tokens, until they give them back.
    private static func mostTokens(_ limit: SharedLimit) -> Double {
        2 * limit.burst + (limit.rate ?? 0) * LimitShare.leaseSeconds
    }

    func began(of host: Int, since: Double, isAlone: Bool) {
        calls += 1
        let now = world.queue.now
        if world.checks.calmSince + LimitShare.leaseSeconds <= since { waits.append(now - since) }
        guard !isAlone else {
            callsAlone += 1
            return
        }
        let limit = world.scenario.limit
        inFlight[host, default: 0] += 1
        sum += 1
        if let most = limit.inFlight, sum > most, now >= validSince {
            world.checks.fail("\(sum) calls are in flight at \(rounded(now)) s, and the limit is \(most)")
        }
        guard let rate = limit.rate else { return }
        tokens = min(Self.mostTokens(limit), tokens + (now - filledAt) * rate) - 1
        filledAt = now
        if tokens < -1e-6, now >= validSince {
            world.checks.fail("more calls go out than the rate allows, at \(rounded(now)) s")
            tokens = Self.mostTokens(limit)
        }
    }

    func gaveUp() { callsGivenUp += 1 }

    func ended(of host: Int, isAlone: Bool) {
        guard !isAlone else { return }
        inFlight[host, default: 0] -= 1
        sum -= 1
    }

    func hasDied(_ host: Int) {
        sum -= inFlight[host] ?? 0
        inFlight[host] = 0
    }

    /// A host stands still, or the server has forgotten everything: calls may be in flight that the server
    /// doesn't count.
    func countIsLost(until time: Double) {
        validSince = max(validSince, time + LimitShare.leaseSeconds + VirtualLimiter.longestCall)
        tokens = Self.mostTokens(world.scenario.limit)
    }

    func ended() {
        for host in world.hosts where !host.limiter.share.isIdle(host.limiter.use) {
            world.checks.fail("host \(host.number) still uses the limit: \(host.limiter.use)")
        }
        if world.server.permits > 0 {
            world.checks.fail("\(world.server.permits) permits are not given back")
        }
    }
}
