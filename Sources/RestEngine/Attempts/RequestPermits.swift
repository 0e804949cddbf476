import Platform

/// The permits that the messages of one request need, according to its configuration: a slot of a limit,
/// which the request keeps over redirects, and a breaker's permit for each message. Each ends once: with the
/// outcome of the message, or abandoned. A request whose configuration has neither limits nor a breaker needs
/// no permits.
@EngineActor
final class RequestPermits {
    let rules: AttemptRules
    private let resource: Resource
    /// Returns the limits of the current configuration; nil where they can't be known.
    private let limitsNow: @EngineActor () -> RequestLimits?
    private var slot: LimitSlot?
    private var origin: OriginHealth?
    /// The permit of the message that is in flight or about to be sent.
    private var permit: BreakerPermit?

    init(
        _ rules: AttemptRules, _ resource: Resource, limitsNow: @escaping @EngineActor () -> RequestLimits?
    ) {
        (self.rules, self.resource, self.limitsNow) = (rules, resource, limitsNow)
    }

    private var core: ServiceCore { resource.core }
    private var engine: Engine { core.engine }
    private var uptime: Double { engine.scheduler.uptime }

    /// Each service, and each of its partitions, has its turn.
    private var queueKey: String {
        resource.clientPartition.map { "\(core.name)\n\($0)" } ?? core.name
    }

    // MARK: Before a message

    /// Asks when a message may go: `decided` gets the seconds that it waited, at once or later, or the reason
    /// why it may not go at all.
    func admit(
        _ hop: RequestHop, to url: URLText, timeLeft: Double,
        decided: @escaping @EngineActor (Result<Double, TransportError>) -> Void
    ) {
        let origin = engine.attemptControl.origin(of: url)
        self.origin = origin
        if let refusal = refusal(origin) { return decided(.failure(refusal)) }
        guard let limits = rules.limits?.here(engine) else {
            return begin(hop, origin, queued: 0, decided)
        }
        let limiter = engine.attemptControl.limiter(limits, url, resource)
        if let slot, slot.isOf(limiter) {
            limiter.follow()
            return begin(hop, origin, queued: 0, decided)
        }
        leave()
        let came = uptime
        do throws(TransportError) {
            let slot = try limiter.enter(
                limits, priority: rules.priority, queueKey: queueKey, timeout: timeLeft,
                now: { [limitsNow, engine] in limitsNow()?.here(engine) }
            ) { [self] error in
                if let error { return decided(.failure(error)) }
                begin(hop, origin, queued: uptime - came, decided)
            }
            self.slot = slot
            if !slot.isWaiting { begin(hop, origin, queued: 0, decided) }
        } catch { decided(.failure(error)) }
    }

    private func refusal(_ origin: OriginHealth) -> TransportError? {
        guard rules.breaker != nil, permit == nil, let until = origin.breaker.isRefusing(at: uptime) else {
            return nil
        }
        return Self.circuitOpen(origin, retryAt: engine.scheduler.now + max(0, until - uptime))
    }

    private static func circuitOpen(_ origin: OriginHealth, retryAt: Double) -> TransportError {
        TransportError(
            .circuitOpen, message: "the server failed too often; no requests are sent to it for a while",
            peer: origin.name, retryAt: retryAt)
    }

    private func begin(
        _ hop: RequestHop, _ origin: OriginHealth, queued: Double,
        _ decided: @EngineActor (Result<Double, TransportError>) -> Void
    ) {
        // A probe that is sent again because its connection was closed is still the probe.
        if permit == nil, let policy = rules.breaker {
            // The breaker may have opened while the request waited.
            switch origin.breaker.admit(at: uptime) {
            case .pass: permit = BreakerPermit(origin, policy, isProbe: false)
            case .probe:
                permit = BreakerPermit(origin, policy, isProbe: true)
                notify(origin, .halfOpen)
                engine.log.write(.network, "the breaker of \(origin.name) lets one request through")
            case .refuse(let until):
                leave()
                return decided(
                    .failure(
                        Self.circuitOpen(
                            origin, retryAt: engine.scheduler.now + max(0, until - uptime))))
            }
        }
        if rules.retry != nil, !hop.isOneOfMany, hop.mayBeRepeated { origin.budget.noteRequest(at: uptime) }
        decided(.success(queued))
    }

    // MARK: After a message

    /// The outcome of a message is known: it has ended, or a stream of events has begun.
    func ended(_ result: TransportResult) {
        if let origin, let permit, permit.end(BreakerOutcome(result), at: uptime) { reportBreaker(origin) }
        permit = nil
        if case .success(let response) = result { slot?.learn(response.status, response.headers) }
    }

    private func reportBreaker(_ origin: OriginHealth) {
        switch origin.breaker.state {
        case .open(let until):
            notify(origin, .open, until: until)
            let seconds = ((until - uptime) * 1000).rounded() / 1000
            engine.log.write(
                .warning, "\(origin.name) fails too often: no requests are sent there for \(seconds) s")
        case .closed:
            notify(origin, .closed)
            engine.log.write(.warning, "\(origin.name) answers again")
        case .halfOpen: break
        }
    }

    private func notify(
        _ origin: OriginHealth, _ state: EngineEvent.BreakerChange.State, until: Double? = nil
    ) {
        let now = engine.scheduler.now
        engine.notify(
            .breaker,
            EngineEvent(
                time: now, service: core.name,
                .breaker(
                    .init(
                        origin: origin.name, state: state,
                        retryAt: until.map { now + max(0, $0 - uptime) }))))
    }

    /// Takes a retry out of the origin's budget; false when that is used up.
    func payForRetry(share: Double) -> Bool { origin?.budget.takeRetry(share: share, at: uptime) ?? false }

    /// Gives the slot and the permit back: no further message will be sent.
    func leave() {
        permit?.abandon()
        permit = nil
        slot?.leave()
        slot = nil
    }
}
