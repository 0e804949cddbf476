internal import DequeModule

/// Decides about the one connection of a client: when to connect, which commands wait, which reply belongs to
/// which command, and what fails. Pure: events come with the time, and actions go to the ``RedisDriver``.
///
/// * While there is no connection, commands fail at once. Only during the first attempt they wait, within
///   their timeout.
/// * A command that is too late keeps its place in the line, so its reply, when it comes, is dropped and the
///   next reply belongs to the next command. Until then further commands fail at once: their replies would be
///   behind that one.
/// * A server that is silent for longer is left, and connected to again.
package struct RedisLink {
    package typealias ID = UInt64

    package enum Action: Sendable, Equatable {
        case connect
        /// Closes the connection, or ends the attempt to have one. No event of it counts afterwards.
        case disconnect
        case write(ID)
        /// Sends a command for ``probeID`` that changes nothing.
        case probe
        case succeed(ID, [RedisValue])
        case fail(ID, RedisFailure)
        /// Another connection is there, and the failures of having none are over.
        case noteReady
        /// There is no connection any more, or none again.
        case noteLost(RedisFailure)
        /// All replies to a command have come or never will, so it takes no room any more.
        case release(ID)
    }

    /// Times in seconds.
    package struct Rules: Sendable {
        /// For an attempt to connect and log in.
        package var connectTimeout = 1.0
        /// The first and the longest pause between two attempts.
        package var firstPause = 0.05
        package var longestPause = 1.0
        /// A server that lets a command wait so long beyond its deadline is left.
        package var patience = 1.0
        /// An idle connection is tested after this time.
        package var idle = 1.0
        package var probeTimeout = 0.5
        /// A busy connection is tested after this time, too, if the server may stop being the primary: it
        /// goes on to answer commands that read.
        package var checkPeriod = Double.infinity

        package init() {}
    }

    private enum Phase {
        case unused
        case connecting(isFirst: Bool, until: Double)
        case ready
        case pausing(until: Double)
        case closed
    }

    /// A command in the line.
    private struct Item {
        let id: ID
        let deadline: Double
        var missing: Int
        var values: [RedisValue] = []
        /// Its caller has its failure.
        var isAbandoned = false
    }

    package static let probeID: ID = 0

    private let rules: Rules
    private var phase = Phase.unused
    /// Commands that wait for the first connection.
    private var early: [Item] = []
    private var line: Deque<Item> = []
    private var attempts = 0
    private var lastFailure = RedisFailure(.unreachable, "there is no connection to the server yet")
    private var lastActivity = 0.0
    private var lastProbe = 0.0

    package init(_ rules: Rules = Rules()) { self.rules = rules }

    package var isReady: Bool { if case .ready = phase { true } else { false } }
    package var inFlight: Int { line.count }

    // MARK: Events

    /// - Parameter replies: The number of commands that are written together.
    package mutating func submit(_ id: ID, replies: Int, deadline: Double, at now: Double) -> [Action] {
        let item = Item(id: id, deadline: deadline, missing: replies)
        switch phase {
        case .closed: return [.fail(id, RedisFailure(.unreachable, "the client is closed")), .release(id)]
        case .pausing: return [.fail(id, lastFailure), .release(id)]
        case .connecting(isFirst: false, _): return [.fail(id, lastFailure), .release(id)]
        case .connecting(isFirst: true, _):
            early.append(item)
            return []
        case .unused:
            early.append(item)
            phase = .connecting(isFirst: true, until: now + rules.connectTimeout)
            return [.connect]
        case .ready:
            if let first = line.first, first.deadline < now {
                return [.fail(id, Self.late("the server has not answered an earlier command")), .release(id)]
            }
            let check = lastProbe + rules.checkPeriod <= now ? probe(at: now) : []
            lastActivity = now
            line.append(item)
            return check + [.write(id)]
        }
    }

    private mutating func probe(at now: Double) -> [Action] {
        (lastActivity, lastProbe) = (now, now)
        line.append(Item(id: Self.probeID, deadline: now + rules.probeTimeout, missing: 1))
        return [.probe]
    }

    /// The connection is there, and the server has accepted the login.
    package mutating func connected(at now: Double) -> [Action] {
        guard case .connecting = phase else { return [.disconnect] }
        phase = .ready
        (attempts, lastActivity, lastProbe) = (0, now, now)
        let waiting = early
        early = []
        line = Deque(waiting)
        return [.noteReady] + waiting.map { .write($0.id) }
    }

    /// One reply to the oldest command.
    package mutating func received(_ value: RedisValue, at now: Double, random: Double) -> [Action] {
        guard case .ready = phase else { return [] }
        guard !line.isEmpty else {
            return [.disconnect]
                + lost(
                    RedisFailure(.protocol, "the server sent a reply that no command asked for"), at: now,
                    random: random)
        }
        lastActivity = now
        line[0].values.append(value)
        line[0].missing -= 1
        guard line[0].missing == 0 else { return [] }
        let done = line.removeFirst()
        return (done.isAbandoned ? [] : [.succeed(done.id, done.values)]) + [.release(done.id)]
    }

    /// The connection has ended, or an attempt failed.
    ///
    /// - Parameter random: From 0 to 1. Hosts that lost their server together don't come back together.
    package mutating func lost(_ failure: RedisFailure, at now: Double, random: Double) -> [Action] {
        switch phase {
        case .closed, .unused, .pausing: return []
        case .connecting, .ready: break
        }
        let ended = Array(line) + early
        (line, early) = ([], [])
        lastFailure = failure
        let pause = min(rules.longestPause, rules.firstPause * Double(1 << min(attempts, 16)))
        attempts += 1
        phase = .pausing(until: now + pause * (0.5 + random / 2))
        return [.noteLost(failure)] + ended.flatMap { Self.end($0, failure) }
    }

    private static func end(_ item: Item, _ failure: RedisFailure) -> [Action] {
        guard item.id != probeID else { return [] }
        return (item.isAbandoned ? [] : [.fail(item.id, failure)]) + [.release(item.id)]
    }

    /// Time has passed.
    package mutating func tick(at now: Double, random: Double) -> [Action] {
        var actions: [Action] = []
        switch phase {
        case .unused, .closed: break
        case .pausing(let end):
            guard end <= now else { break }
            phase = .connecting(isFirst: false, until: now + rules.connectTimeout)
            return [.connect]
        case .connecting(_, let end):
            actions = expireEarly(at: now)
            if end <= now {
                let failure = RedisFailure(
                    .unreachable, "the server did not accept a connection in \(rules.connectTimeout) s")
                actions += [.disconnect] + lost(failure, at: now, random: random)
            }
        case .ready:
            actions = expireLine(at: now)
            if let first = line.first, first.deadline + rules.patience <= now {
                let failure = Self.late("the server has been silent for more than \(rules.patience) s")
                actions += [.disconnect] + lost(failure, at: now, random: random)
            } else if line.isEmpty, lastActivity + rules.idle <= now {
                actions += probe(at: now)
            }
        }
        return actions
    }

    /// The time of the next ``tick(at:random:)``; nil when there is nothing to wait for.
    package var nextTick: Double? {
        switch phase {
        case .unused, .closed: nil
        case .pausing(let end): end
        case .connecting(_, let end): early.reduce(end) { min($0, $1.deadline) }
        case .ready:
            if let first = line.first {
                line.reduce(first.deadline + rules.patience) { $1.isAbandoned ? $0 : min($0, $1.deadline) }
            } else {
                lastActivity + rules.idle
            }
        }
    }

    package mutating func close() -> [Action] {
        let ended = Array(line) + early
        (line, early) = ([], [])
        phase = .closed
        let failure = RedisFailure(.unreachable, "the client is closed")
        return [.disconnect] + ended.flatMap { Self.end($0, failure) }
    }

    // MARK: Timeouts

    private static func late(_ message: String) -> RedisFailure { RedisFailure(.timedOut, message) }

    private mutating func expireEarly(at now: Double) -> [Action] {
        let late = early.filter { $0.deadline <= now }
        guard !late.isEmpty else { return [] }
        early.removeAll { $0.deadline <= now }
        let failure = Self.late("there was no connection to the server in time")
        return late.flatMap { Self.end($0, failure) }
    }

    private mutating func expireLine(at now: Double) -> [Action] {
        var actions: [Action] = []
        for index in line.indices where !line[index].isAbandoned && line[index].deadline <= now {
            line[index].isAbandoned = true
            line[index].values = []
            let failure = Self.late("the server did not answer in time")
            // The failure of a probe has no caller, and is a failure all the same.
            actions.append(.fail(line[index].id, failure))
        }
        return actions
    }
}
