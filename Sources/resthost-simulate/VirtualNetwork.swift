/// The way between hosts and server. Each message has a delay of its own, so that messages overtake each
/// other.
final class VirtualNetwork {
    private let queue: EventQueue
    private let server: VirtualServer
    private var random: SeededRandom
    /// Hosts that reach the server no more, and the server them.
    var cutOff: Set<Int> = []
    /// The probability that a message is lost.
    var loss = 0.0
    /// The mean of the delays, in seconds.
    var delay = 0.000_5
    /// Until when each host stands still; its mail waits.
    private var pausedUntil: [Int: Double] = [:]
    /// Counts the starts of hosts. Mail for an earlier life is not delivered.
    private var lives: [Int: Int] = [:]
    /// Counts the starts of the server, which end its connections.
    private var serverLife = 0

    init(_ queue: EventQueue, _ server: VirtualServer, _ random: SeededRandom) {
        (self.queue, self.server, self.random) = (queue, server, random)
    }

    func pause(_ host: Int, for seconds: Double) {
        pausedUntil[host] = max(pausedUntil[host] ?? 0, queue.now + seconds)
    }

    func isPaused(_ host: Int) -> Bool { (pausedUntil[host] ?? 0) > queue.now }
    func hasDied(_ host: Int) { lives[host, default: 0] += 1 }
    func serverHasRestarted() { serverLife += 1 }

    /// Runs something on a host after a time; later if the host stands still, and never if it died.
    func onHost(_ host: Int, after seconds: Double, _ run: @escaping () -> Void) {
        let life = lives[host, default: 0]
        queue.after(seconds) { [self] in deliver(host, life, run) }
    }

    private func deliver(_ host: Int, _ life: Int, _ run: @escaping () -> Void) {
        guard life == lives[host, default: 0] else { return }
        if let until = pausedUntil[host], until > queue.now {
            queue.at(until) { [self] in deliver(host, life, run) }
        } else {
            run()
        }
    }

    /// One command, whose reply comes at once or later: `perform` gets a function for the reply. `done` is
    /// called once, with nil if there is no reply in time.
    func send<Reply>(
        from host: Int, timeout: Double, _ perform: @escaping (@escaping (Reply) -> Void) -> Void,
        _ done: @escaping (Reply?) -> Void
    ) {
        var isOver = false
        let finish = { (reply: Reply?) in
            guard !isOver else { return }
            isOver = true
            done(reply)
        }
        onHost(host, after: timeout) { finish(nil) }
        let life = serverLife
        guard !isLost(host) else { return }
        queue.after(nextDelay()) { [self] in
            guard !isLost(host), !server.isDown, life == serverLife else { return }
            perform { [self] reply in
                guard !isLost(host), life == serverLife else { return }
                onHost(host, after: nextDelay()) { finish(reply) }
            }
        }
    }

    /// A message that answers no command.
    func push(to host: Int, _ receive: @escaping () -> Void) {
        guard !isLost(host) else { return }
        onHost(host, after: nextDelay(), receive)
    }

    private func isLost(_ host: Int) -> Bool {
        cutOff.contains(host) || (loss > 0 && random.chance(loss))
    }

    private func nextDelay() -> Double {
        // Now and then a packet is sent again, or a queue is long.
        if random.chance(0.002) { return random.seconds(0.02...0.3) }
        return delay * (0.2 + random.seconds(0...1.6))
    }
}
