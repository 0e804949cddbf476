/// Performs what a ``LimitState`` decides: lets requests go, makes them wait, tells those whose time is over.
@EngineActor
final class RequestLimiter {
    /// For people: what shares it.
    let name: String
    private unowned let engine: Engine
    private(set) var state: LimitState
    private var waiters: [WaitingList.ID: LimitSlot] = [:]
    private var lastID: WaitingList.ID = 0
    /// When the next of those that wait may go.
    private var timer: EngineTimer?

    init(_ limits: RequestLimits, name: String, engine: Engine) {
        self.name = name
        self.engine = engine
        state = LimitState(limits)
    }

    private var uptime: Double { engine.scheduler.uptime }

    /// A request comes. It may go when this returns a slot that doesn't wait; else `decided` is called
    /// later, unless the slot is given back before.
    ///
    /// - Parameters:
    ///   - patience: Seconds that it may wait, those of the limit at most.
    ///   - now: The limits that the request would have if it came now; nil where that can't be known.
    func enter(
        _ limits: RequestLimits, priority: Int, queueKey: String, timeout: Double,
        now: @escaping @EngineActor () -> RequestLimits?,
        decided: @escaping @EngineActor (TransportError?) -> Void
    ) throws(TransportError) -> LimitSlot {
        let uptime = uptime
        let timeout = min(timeout, limits.longestWait)
        if state.set(limits, at: uptime) { pump() }
        lastID += 1
        let slot = LimitSlot(self, lastID, came: uptime, queueKey: queueKey)
        switch state.admit(lastID, priority: priority, queueKey: queueKey, timeout: timeout, at: uptime) {
        case .go: slot.hold()
        case .queueFull(let limit):
            notify(.refused, slot)
            throw TransportError(
                .queueFull, phase: .queue,
                message: limit == 0
                    ? "as many requests are on their way as the limit of \(name) allows"
                    : "\(limit) requests wait already for the limit of \(name)", limit: limit)
        case .limited(let until):
            notify(.refused, slot)
            throw TransportError(
                .rateLimited, phase: .queue,
                message: "the limit of \(name) has no turn for the request in the time that it may wait",
                retryAt: engine.scheduler.now + (until - uptime))
        case .wait:
            slot.wait(
                decided, now,
                engine.scheduler.after(timeout) { [weak self] in self?.giveUp(slot, timeout) })
            waiters[lastID] = slot
            notify(.queued, slot)
            arm()
        }
        return slot
    }

    /// A configuration has changed, maybe that of the requests that wait: the limits of the one that waits
    /// longest count.
    func reconsider() {
        guard let oldest = waiters.min(by: { $0.key < $1.key })?.value, let limits = oldest.limitsNow,
            limits.scope == state.limits.scope
        else { return }
        if state.set(limits, at: uptime) { pump() }
    }

    private func notify(_ action: EngineEvent.LimitAction.Action, _ slot: LimitSlot) {
        engine.notify(
            .limit,
            EngineEvent(
                time: engine.scheduler.now, service: slot.queueKey,
                .limit(
                    .init(
                        scope: name, action: action, waited: uptime - slot.came,
                        waiting: state.waiting.count, inFlight: state.inFlight))))
    }

    private func giveUp(_ slot: LimitSlot, _ timeout: Double) {
        guard state.giveUp(slot.id) else { return }
        waiters[slot.id] = nil
        notify(.refused, slot)
        slot.decide(
            TransportError(
                .timeout, phase: .queue,
                message: "the request waited \((timeout * 1000).rounded() / 1000) s for the limit of \(name)"
            ))
        arm()
    }

    /// Another message of a request that has its place.
    func follow() { state.follow(at: uptime) }

    fileprivate func leave(_ slot: LimitSlot) {
        if waiters.removeValue(forKey: slot.id) != nil {
            _ = state.giveUp(slot.id)
            arm()
        } else {
            state.leave()
            pump()
        }
    }

    /// A request that had its place is gone and has not given it back. Whoever waits goes with the next that
    /// does: the engine may be gone too.
    fileprivate func dropped() { state.leave() }

    fileprivate func learn(_ status: Int, _ headers: Headers) {
        let scheduler = engine.scheduler
        guard state.bucket != nil else { return }
        let wait = headers["Retry-After"].map { RetryAfter($0, now: scheduler.now) }
        let fields = RateLimitFields(headers, now: scheduler.now)
        guard wait != nil || !fields.isEmpty else { return }
        if let learned = state.learn(status: status, retryAfter: wait, fields, at: uptime) {
            engine.log.write(.network, "the server says of the limit of \(name): \(learned)")
        }
        arm()
    }

    /// Lets go whoever may.
    private func pump() {
        while let id = state.next(at: uptime) {
            guard let slot = waiters.removeValue(forKey: id) else {
                state.leave()
                continue
            }
            slot.hold()
            notify(.released, slot)
            // Not from inside of whatever has just ended.
            engine.scheduler.nextTick { slot.decide(nil) }
        }
        arm()
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard let time = state.nextTime(at: uptime) else { return }
        timer = engine.scheduler.after(max(0, time - uptime)) { [weak self] in self?.pump() }
    }

    var isIdle: Bool { state.isIdle(at: uptime) }
}

/// A request's place in a limit, or in its queue; given back once.
@EngineActor
final class LimitSlot {
    let id: WaitingList.ID
    /// By the scheduler's uptime.
    fileprivate let came: Double
    /// The service.
    fileprivate let queueKey: String
    private var limiter: RequestLimiter?
    private var decided: (@EngineActor (TransportError?) -> Void)?
    /// While it waits.
    private var now: (@EngineActor () -> RequestLimits?)?
    private var timer: EngineTimer?
    private(set) var isWaiting = false

    fileprivate init(_ limiter: RequestLimiter, _ id: WaitingList.ID, came: Double, queueKey: String) {
        self.limiter = limiter
        self.id = id
        self.came = came
        self.queueKey = queueKey
    }

    isolated deinit { limiter?.dropped() }

    func isOf(_ limiter: RequestLimiter) -> Bool { self.limiter === limiter }

    /// What the server said of its own limit.
    func learn(_ status: Int, _ headers: Headers) { limiter?.learn(status, headers) }

    fileprivate var limitsNow: RequestLimits? { now?() }

    fileprivate func hold() {
        isWaiting = false
        now = nil
        timer?.cancel()
        timer = nil
    }

    fileprivate func wait(
        _ decided: @escaping @EngineActor (TransportError?) -> Void,
        _ now: @escaping @EngineActor () -> RequestLimits?, _ timer: EngineTimer
    ) {
        isWaiting = true
        (self.decided, self.now, self.timer) = (decided, now, timer)
    }

    fileprivate func decide(_ error: TransportError?) {
        hold()
        if error != nil { limiter = nil }
        let decided = decided
        self.decided = nil
        decided?(error)
    }

    /// Gives the place back; nothing is called any more.
    func leave() {
        hold()
        decided = nil
        let limiter = limiter
        self.limiter = nil
        limiter?.leave(self)
    }
}
