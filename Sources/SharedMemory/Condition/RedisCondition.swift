internal import Synchronization

/// The state of a server for operators: its failures, each with a line in the log when it begins and one when
/// it ends, and counters. Any thread.
package final class RedisCondition: Sendable {
    /// A line for the log.
    package struct Line: Sendable, Equatable {
        /// False for the end of a failure.
        package let isWarning: Bool
        package let text: String
    }

    /// Numbers since the start.
    package struct Counts: Sendable, Equatable {
        package var done = 0
        /// Commands by the kind of their failure.
        package var failed: [RedisFailure.Kind: Int] = [:]
        /// Values that this program can't have written, or that were damaged.
        package var unreadable = 0
        package var connections = 0
        package var isConnected = false
        /// The version of the protocol, 2 or 3; 0 before the first connection.
        package var version = 0
    }

    /// The outcomes of one turn of the event loop.
    struct Tally {
        var done = 0
        /// Commands among them that changed data.
        var changes = 0
        var failures: [RedisFailure] = []

        var isEmpty: Bool { done == 0 && failures.isEmpty }

        mutating func add(_ result: Result<[RedisValue], RedisFailure>, changesData: Bool) {
            switch result {
            case .failure(let failure): add(failure)
            case .success(let values):
                let errors = values.compactMap { if case .error(let text) = $0 { text } else { nil } }
                for text in errors { add(RedisFailure(reply: text)) }
                guard errors.isEmpty else { return }
                done += 1
                if changesData { changes += 1 }
            }
        }

        private mutating func add(_ failure: RedisFailure) {
            switch failure.kind {
            // The caller sends the script then, which is no failure.
            case .noScript, .foreign: done += 1
            case .unsuitable: break
            default: failures.append(failure)
            }
        }
    }

    private struct State {
        var periods = FailurePeriods()
        var counts = Counts()
        var nextWarning = -Double.infinity
        /// The server in use, or the one that the client connects to.
        var server: String?
    }

    /// All servers.
    private let name: String
    private let log: @Sendable (Line) -> Void
    private let state = Mutex(State())

    init(_ name: String, log: @escaping @Sendable (Line) -> Void) { (self.name, self.log) = (name, log) }

    package var counts: Counts { state.withLock { $0.counts } }

    /// The reason why the host is degraded; nil while there is none.
    package var failure: String? {
        state.withLock { state in
            state.periods.worst.map {
                "the shared memory \(state.server ?? name) \(Self.text($0.kind)): \($0.period.message)"
            }
        }
    }

    /// The name of one server, or of all.
    private var shown: String { state.withLock { $0.server } ?? name }

    // MARK: Events

    /// The client uses this server from now on, or tries to; nil while it has none.
    func use(_ server: String?) { state.withLock { $0.server = server } }

    func noteVersion(_ version: Int) { state.withLock { $0.counts.version = version } }

    /// A value can't be read. Returns whether a warning is due: not for each of them.
    func noteUnreadable(at now: Double) -> Bool {
        state.withLock { state in
            state.counts.unreadable += 1
            guard now >= state.nextWarning else { return false }
            state.nextWarning = now + Self.warningPeriod
            return true
        }
    }

    static let warningPeriod = 600.0

    func noteReady(at now: Double) {
        let over = state.withLock { state in
            state.counts.connections += 1
            state.counts.isConnected = true
            return state.periods.connect()
        }
        report(over, at: now)
    }

    func noteLost(_ failure: RedisFailure, at now: Double) {
        let isNew = state.withLock { state in
            state.counts.isConnected = false
            return state.periods.fail(failure, isOfConnection: true, at: now)
        }
        if isNew { report(failure) }
    }

    func note(_ tally: Tally, at now: Double) {
        let (new, over) = state.withLock { state in
            state.counts.done += tally.done
            var new: [RedisFailure] = []
            for failure in tally.failures where Self.fail(failure, &state, at: now) { new.append(failure) }
            let isOver = tally.done > 0 && !state.periods.isEmpty
            return (new, isOver ? state.periods.succeed(changing: tally.changes > 0, at: now) : [])
        }
        for failure in new { report(failure) }
        report(over, at: now)
    }

    func note(_ failure: RedisFailure, at now: Double) {
        if state.withLock({ Self.fail(failure, &$0, at: now) }) { report(failure) }
    }

    private static func fail(_ failure: RedisFailure, _ state: inout State, at now: Double) -> Bool {
        state.counts.failed[failure.kind, default: 0] += 1
        return state.periods.fail(failure, at: now)
    }

    // MARK: Lines

    private func report(_ failure: RedisFailure) {
        log(
            Line(
                isWarning: true,
                text: "the shared memory \(shown) \(Self.text(failure.kind)): \(failure.message); "
                    + "requests go on without it"))
    }

    private func report(_ over: [(kind: RedisFailure.Kind, period: FailurePeriods.Period)], at now: Double) {
        for (kind, period) in over {
            let seconds = ((now - period.began) * 10).rounded() / 10
            log(
                Line(
                    isWarning: false,
                    text: "the shared memory \(shown) \(Self.end(kind)), after \(seconds) s and "
                        + "\(period.count) failure\(period.count == 1 ? "" : "s")"))
        }
    }

    /// Follows the name of the server.
    private static func text(_ kind: RedisFailure.Kind) -> String {
        switch kind {
        case .unreachable: "can't be reached"
        case .timedOut: "is too slow"
        case .refused: "refuses this host"
        case .loading: "still loads its data"
        case .readOnly: "takes no changes"
        case .full: "is full"
        case .protocol: "speaks another protocol"
        case .cluster: "is part of a cluster"
        case .overloaded: "can't keep up"
        case .noScript, .foreign, .unsuitable, .other: "failed"
        }
    }

    /// The same for the end of a failure.
    private static func end(_ kind: RedisFailure.Kind) -> String {
        switch kind {
        case .unreachable: "can be reached again"
        case .timedOut: "is fast enough again"
        case .refused: "accepts this host again"
        case .loading: "has loaded its data"
        case .readOnly: "takes changes again"
        case .full: "has room again"
        case .overloaded: "keeps up again"
        case .protocol, .cluster, .noScript, .foreign, .unsuitable, .other: "works again"
        }
    }
}
