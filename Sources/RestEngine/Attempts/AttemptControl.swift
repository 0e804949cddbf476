/// The state that the requests of an engine share: limits, and the health of each origin.
@EngineActor
final class AttemptControl {
    /// The number of limits, and of origins, to keep. Beyond it, those that are idle are removed.
    static let mostKept = 10_000

    private unowned let engine: Engine
    private var limiters: [String: RequestLimiter] = [:]
    private var origins: [String: OriginHealth] = [:]
    private var isReconsidering = false
    /// Stands between service and partition in the name of a limit.
    private static let partitionMark = ", partition "

    init(_ engine: Engine) { self.engine = engine }

    /// The limit that a request to `url` shares (rule 42.1).
    func limiter(_ limits: RequestLimits, _ url: URLText, _ resource: Resource) -> RequestLimiter {
        let service = "service \(resource.core.name)"
        let name =
            switch limits.scope {
            case .host: url.origin ?? ""
            case .service: service
            case .partition:
                resource.partition.map { "\(service)\(Self.partitionMark)\($0)" } ?? service
            case .named(let name): "'\(name)'"
            }
        if let known = limiters[name] { return known }
        if limiters.count >= Self.mostKept { limiters = limiters.filter { !$0.value.isIdle } }
        let new = RequestLimiter(limits, name: name, engine: engine)
        limiters[name] = new
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
        for (name, limiter) in limiters.sorted(by: { $0.key < $1.key }) {
            let state = limiter.state
            if state.limits.scope == .partition, let mark = name.firstRange(of: Self.partitionMark) {
                facts.add(state, toPartitionsOf: String(name[..<mark.lowerBound]))
                continue
            }
            facts.limits.append(
                AttemptFacts.Limit(
                    name: name, inFlight: state.inFlight, mostInFlight: state.limits.inFlight,
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
public struct AttemptFacts: Sendable {
    public struct Limit: Sendable {
        /// The name of the scope that shares the limit.
        public var name: String
        public var inFlight: Int
        /// Nil for any number.
        public var mostInFlight: Int?
        public var waiting: Int
        /// Requests in a second; nil for any number.
        public var rate: Double?
        /// Seconds for which the server wants no more requests; 0 for none.
        public var pausedSeconds: Double
    }

    public struct Breaker: Sendable {
        public var origin: String
        /// Seconds until the breaker lets a request through; 0 when it does already.
        public var openSeconds: Double
        /// Whether that one request is in flight.
        public var isProbed: Bool
    }

    public var limits: [Limit] = []
    public var breakers: [Breaker] = []

    public init() {}

    /// There may be thousands of partitions, so they are one line together.
    fileprivate mutating func add(_ state: LimitState, toPartitionsOf service: String) {
        let name = "\(service), partitions"
        if limits.last?.name != name {
            limits.append(
                Limit(
                    name: name, inFlight: 0, mostInFlight: nil, waiting: 0, rate: nil, pausedSeconds: 0))
        }
        limits[limits.count - 1].inFlight += state.inFlight
        limits[limits.count - 1].waiting += state.waiting.count
    }
}
