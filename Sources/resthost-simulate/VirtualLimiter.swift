import Coordination

/// Calls of one host that share a limit with those of all hosts. The queue of a real host is reduced to its
/// order.
final class VirtualLimiter {
    private unowned let world: World
    private let host: Int
    private let clockOffset: Double
    private var random: SeededRandom
    private(set) var share: LimitShare
    /// When the calls that wait have come.
    private var waiting: [Double] = []
    private var inFlight = 0
    private var started = 0
    /// Tokens of the server, or those of its own part of the rate while it is alone.
    private var tokens = 0.0
    private var filledAt = 0.0
    private var wait = 0

    init(_ world: World, host: Int, clockOffset: Double, _ random: SeededRandom) {
        (self.world, self.host, self.clockOffset) = (world, host, clockOffset)
        self.random = random
        share = LimitShare(world.scenario.limit)
    }

    private var now: Double { world.queue.now }
    private var uptime: Double { now + clockOffset }

    func call() {
        let came = now
        waiting.append(came)
        start()
        update()
        world.network.onHost(host, after: Self.longestWait) { [weak self] in
            guard let self, let index = waiting.firstIndex(where: { $0 <= came }) else { return }
            waiting.remove(at: index)
            world.limits.gaveUp()
            update()
        }
    }

    var use: LimitUse {
        LimitUse(
            inFlight: inFlight, waiting: waiting.count, tokens: share.hostsWhenAlone == nil ? tokens : 0,
            started: started)
    }

    func woken() { perform(share.woken(use, at: uptime)) }

    private func update() { perform(share.update(use, at: uptime)) }

    private func start() {
        let limit = world.scenario.limit
        if let hosts = share.hostsWhenAlone, let rate = limit.rate {
            let part = Double(hosts)
            tokens = min(max(1, limit.burst / part), tokens + (now - filledAt) * rate / part)
            filledAt = now
        }
        while !waiting.isEmpty, share.permits.map({ inFlight < $0 }) ?? true, limit.rate == nil || tokens >= 1
        {
            if limit.rate != nil { tokens -= 1 }
            inFlight += 1
            started += 1
            let isAlone = share.hostsWhenAlone != nil
            world.limits.began(of: host, since: waiting.removeFirst(), isAlone: isAlone)
            world.network.onHost(host, after: random.seconds(0.005...VirtualLimiter.longestCall)) {
                [weak self] in
                guard let self else { return }
                world.limits.ended(of: host, isAlone: isAlone)
                inFlight -= 1
                start()
                update()
            }
        }
    }

    static let longestCall = 0.2
    static let longestWait = 3.0

    private func perform(_ actions: [LimitShare.Action]) {
        for action in actions {
            switch action {
            case .wait(let until):
                wait += 1
                let own = wait
                world.network.onHost(host, after: until - uptime) { [weak self] in
                    guard let self, own == wait else { return }
                    start()
                    update()
                }
            case .ask(let question):
                wait += 1
                tokens -= question.returned
                world.limits.messages += 1
                world.network.send(from: host, timeout: World.timeout) {
                    [world, host] (reply: (LimitAnswer) -> Void) in
                    reply(world.server.count(question, of: host, world.scenario.limit))
                } _: { [weak self] answer in
                    self?.take(answer)
                }
            }
        }
    }

    private func take(_ answer: LimitAnswer?) {
        let wasAlone = share.hostsWhenAlone != nil
        let actions = share.answered(answer, use, at: uptime)
        let isAlone = share.hostsWhenAlone != nil
        if wasAlone != isAlone { (tokens, filledAt) = (0, now) }
        if let answer { tokens += Double(answer.tokens) }
        start()
        perform(actions)
    }
}
