internal import Coordination
internal import Platform

/// Carries out the decisions of a ``LimitState``: starts requests, makes them wait, and notifies those that
/// have waited too long.
@EngineActor
final class RequestLimiter {
    /// The name of the scope that shares the limit, for people.
    let name: String
    /// The name that the limit has for other hosts.
    private let key: String
    private unowned let engine: Engine
    private(set) var state: LimitState
    private var waiters: [WaitingList.ID: LimitSlot] = [:]
    private var lastID: WaitingList.ID = 0
    /// Fires when the next waiting request may go.
    private var timer: EngineTimer?
    /// For the next message about a limit of all hosts, and its time.
    private var shareTimer: (timer: EngineTimer, time: Double)?

    init(_ limits: RequestLimits, name: String, key: String? = nil, engine: Engine) {
        self.name = name
        self.key = key ?? name
        self.engine = engine
        state = LimitState(limits, workers: engine.worker?.count ?? 1)
    }

    private var uptime: Double { engine.scheduler.uptime }

    /// A request arrives. If the returned slot does not wait, the request may go. Otherwise `decided` is
    /// called later, unless the slot is given back before.
    ///
    /// - Parameters:
    ///   - timeout: Seconds that the request may wait, at most those of the limit.
    ///   - now: Returns the limits that the request would get if it arrived now; nil where they can't be
    ///     known.
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
        case .go:
            slot.hold()
            updateShare()
        case .queueFull(let limit):
            notify(.refused, slot)
            throw TransportError(
                .queueFull, phase: .queue,
                message: limit == 0
                    ? "the limit of \(name) allows no more requests in flight"
                    : "\(limit) requests already wait for the limit of \(name)", limit: limit)
        case .limited(let until):
            notify(.refused, slot)
            throw TransportError(
                .rateLimited, phase: .queue,
                message: "the limit of \(name) has no slot for the request in the time that it may wait",
                retryAt: engine.scheduler.now + (until - uptime))
        case .wait:
            slot.wait(
                decided, now,
                engine.scheduler.after(timeout) { [weak self] in self?.giveUp(slot, timeout) })
            waiters[lastID] = slot
            notify(.queued, slot)
            arm()
            updateShare()
        }
        return slot
    }

    /// The configuration has changed, possibly that of waiting requests: the limits of the request that has
    /// waited longest are used.
    func reconsider() {
        guard let oldest = waiters.min(by: { $0.key < $1.key })?.value, let limits = oldest.limitsNow,
            limits.scope == state.limits.scope
        else { return }
        if state.set(limits, at: uptime) {
            pump()
            updateShare()
        }
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

    /// Counts another message of a request that has a slot.
    func follow() { state.follow(at: uptime) }

    fileprivate func leave(_ slot: LimitSlot) {
        if waiters.removeValue(forKey: slot.id) != nil {
            _ = state.giveUp(slot.id)
            arm()
        } else {
            state.leave()
            pump()
        }
        updateShare()
    }

    /// A request that had a slot was released without giving it back. The next waiting request is not started
    /// here, because the engine may be gone too; it starts when another slot is given back.
    fileprivate func dropped() { state.leave() }

    fileprivate func learn(_ status: Int, _ headers: Headers) {
        let scheduler = engine.scheduler
        guard state.bucket != nil else { return }
        let wait = headers["Retry-After"].map { RetryAfter($0, now: scheduler.now) }
        let fields = RateLimitFields(headers, now: scheduler.now)
        guard wait != nil || !fields.isEmpty else { return }
        if let learned = state.learn(status: status, retryAfter: wait, fields, at: uptime) {
            engine.log.write(.network, "the server reports for the limit of \(name): \(learned)")
        }
        arm()
    }

    /// Starts every waiting request that may go.
    private func pump() {
        while let id = state.next(at: uptime) {
            guard let slot = waiters.removeValue(forKey: id) else {
                state.leave()
                continue
            }
            slot.hold()
            notify(.released, slot)
            // Called in the next tick, not from inside the code that has just ended a request.
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

    // MARK: Limits of all hosts

    private func updateShare() {
        if state.share != nil { perform(state.updateShare(at: uptime)) }
    }

    /// Another host has given something back that this one may have.
    func wake() { perform(state.wakeShare(at: uptime)) }

    private func perform(_ actions: [LimitShare.Action]) {
        for action in actions {
            switch action {
            case .wait(let time): wait(until: time)
            case .ask(let question): ask(question)
            }
        }
    }

    private func wait(until time: Double) {
        if let shareTimer, shareTimer.time == time { return }
        shareTimer?.timer.cancel()
        let timer = engine.scheduler.after(max(0, time - uptime)) { [weak self] in
            self?.shareTimer = nil
            self?.updateShare()
        }
        shareTimer = (timer, time)
    }

    private func ask(_ question: LimitQuestion) {
        shareTimer?.timer.cancel()
        shareTimer = nil
        state.giveBack(question.returned)
        guard let coordination = engine.coordination else { return take(nil) }
        coordination.count(question, of: key, state.sharedLimit) { [weak self] in self?.take($0) }
    }

    private func take(_ answer: LimitAnswer?) {
        let actions = state.take(answer, at: uptime)
        pump()
        perform(actions)
    }

    var isIdle: Bool { state.isIdle(at: uptime) }
}

/// The slot of a request in a limit, or its position in the queue; given back once.
@EngineActor
final class LimitSlot {
    let id: WaitingList.ID
    /// When the request arrived, on the scheduler's uptime clock.
    fileprivate let came: Double
    /// The name of the service.
    fileprivate let queueKey: String
    private var limiter: RequestLimiter?
    private var decided: (@EngineActor (TransportError?) -> Void)?
    /// Set while the slot waits.
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

    /// Passes on the server's fields about its own limit.
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

    /// Gives the slot back; no callback is called afterwards.
    func leave() {
        hold()
        decided = nil
        let limiter = limiter
        self.limiter = nil
        limiter?.leave(self)
    }
}
