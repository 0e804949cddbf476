/// The state that the requests of an engine share: limits, and the health of each origin.
@EngineActor
final class AttemptControl {
    /// The number of limits, and of origins, to keep. Beyond it, those that are idle are removed.
    static let mostKept = 10_000

    private unowned let engine: Engine
    /// By name. Those of a service's partitions share a name, so they are here with the partition's.
    private var limiters: [String: RequestLimiter] = [:]
    private var origins: [String: OriginHealth] = [:]
    private var isReconsidering = false

    init(_ engine: Engine) { self.engine = engine }

    /// The limit that a request to `url` shares (rule 42.1).
    func limiter(_ limits: RequestLimits, _ url: URLText, _ resource: Resource) -> RequestLimiter {
        let service = "service \(resource.core.name)"
        var name =
            switch limits.scope {
            case .host: url.origin ?? ""
            case .service, .partition: service
            case .named(let name): "'\(name)'"
            }
        var key = name
        if limits.scope == .partition, let partition = resource.clientPartition {
            name += ", partitions"
            key = "\(name) \(partition)"
        }
        if let known = limiters[key] { return known }
        if limiters.count >= Self.mostKept { limiters = limiters.filter { !$0.value.isIdle } }
        let new = RequestLimiter(limits, name: name, key: key, engine: engine)
        limiters[key] = new
        return new
    }

    /// Starts waiting requests whose limit was raised. This happens in the next tick, when all blocks of a
    /// reload are there.
    func configurationChanged() {
        guard !isReconsidering, limiters.contains(where: { !$0.value.state.waiting.isEmpty }) else { return }
        isReconsidering = true
        engine.scheduler.nextTick { [weak self] in
            guard let self else { return }
            isReconsidering = false
            for limiter in limiters.values { limiter.reconsider() }
        }
    }

    /// There is something for this host in a limit that hosts share.
    func wakeLimiter(_ key: String) { limiters[key]?.wake() }

    func origin(of url: URLText) -> OriginHealth {
        let name = url.origin ?? ""
        if let known = origins[name] { return known }
        if origins.count >= Self.mostKept {
            let uptime = engine.scheduler.uptime
            origins = origins.filter { !$0.value.isIdle(at: uptime) }
        }
        let new = OriginHealth(name)
        origins[name] = new
        return new
    }

    /// Limits and breakers for people to read, sorted by name.
    var facts: AttemptFacts {
        let uptime = engine.scheduler.uptime
        var facts = AttemptFacts()
        for (key, limiter) in limiters.sorted(by: { $0.key < $1.key }) {
            let (name, state) = (limiter.name, limiter.state)
            if key != name, facts.add(state, toLast: name) { continue }
            facts.limits.append(
                AttemptFacts.Limit(
                    name: name, inFlight: state.inFlight,
                    mostInFlight: key == name ? state.mostInFlight : nil,
                    waiting: state.waiting.count, rate: state.bucket?.effectiveRate,
                    pausedSeconds: state.bucket?.rest(at: uptime) ?? 0))
        }
        for (name, origin) in origins.sorted(by: { $0.key < $1.key }) {
            switch origin.breaker.state {
            case .closed: continue
            case .open(let until):
                facts.breakers.append(
                    AttemptFacts.Breaker(origin: name, openSeconds: max(0, until - uptime), isProbed: false))
            case .halfOpen(let isProbed):
                facts.breakers.append(AttemptFacts.Breaker(origin: name, openSeconds: 0, isProbed: isProbed))
            }
        }
        return facts
    }
}

/// The breaker and the retry budget of an origin.
@EngineActor
final class OriginHealth {
    let name: String
    var budget = RetryBudget()
    var breaker = CircuitBreaker()

    init(_ name: String) { self.name = name }

    func isIdle(at uptime: Double) -> Bool { breaker.state == .closed && budget.isIdle(at: uptime) }
}

/// Limits in use and breakers that are not closed, for `status`.
package struct AttemptFacts: Sendable {
    package struct Limit: Sendable {
        /// The name of the scope that shares the limit.
        package var name: String
        package var inFlight: Int
        /// Nil for any number.
        package var mostInFlight: Int?
        package var waiting: Int
        /// Requests in a second; nil for any number.
        package var rate: Double?
        /// Seconds for which the server wants no more requests; 0 for none.
        package var pausedSeconds: Double
    }

    package struct Breaker: Sendable {
        package var origin: String
        /// Seconds until the breaker lets a request through; 0 when it does already.
        package var openSeconds: Double
        /// Whether that one request is in flight.
        package var isProbed: Bool
    }

    package var limits: [Limit] = []
    package var breakers: [Breaker] = []

    package init() {}

    /// Adds to the last line if it has this name: there may be thousands of partitions, which are one line
    /// together.
    fileprivate mutating func add(_ state: LimitState, toLast name: String) -> Bool {
        guard let last = limits.indices.last, limits[last].name == name else { return false }
        limits[last].inFlight += state.inFlight
        limits[last].waiting += state.waiting.count
        return true
    }
}
