/// The kinds of failures that a server has at the time: when each began, and when it is over. Pure, with the
/// time as an argument.
struct FailurePeriods {
    struct Period {
        let began: Double
        var last: Double
        var count = 1
        var message: String
        /// It keeps the client from having a connection, so the next connection ends it.
        let isOfConnection: Bool
    }

    /// A kind is over when so many seconds passed without it, and something succeeded. A server that is now
    /// and then late would otherwise fill the log.
    static let quiet = 2.0
    /// The same for kinds that only changes show, when nothing was changed meanwhile.
    static let longQuiet = 60.0

    private(set) var current: [RedisFailure.Kind: Period] = [:]

    var isEmpty: Bool { current.isEmpty }

    /// True when the kind begins.
    mutating func fail(_ failure: RedisFailure, isOfConnection: Bool = false, at now: Double) -> Bool {
        guard current[failure.kind] == nil else {
            current[failure.kind]?.last = now
            current[failure.kind]?.count += 1
            current[failure.kind]?.message = failure.message
            return false
        }
        current[failure.kind] = Period(
            began: now, last: now, message: failure.message, isOfConnection: isOfConnection)
        return true
    }

    /// The kinds that are over because there is a connection.
    mutating func connect() -> [(kind: RedisFailure.Kind, period: Period)] {
        end { $1.isOfConnection || $0 == .unreachable }
    }

    /// The kinds that are over because a command succeeded.
    mutating func succeed(changing changesData: Bool, at now: Double) -> [(
        kind: RedisFailure.Kind, period: Period
    )] {
        end { kind, period in
            let pause = now - period.last
            return switch kind {
            case .unreachable: false
            case .full, .readOnly, .refused: pause >= (changesData ? Self.quiet : Self.longQuiet)
            default: pause >= Self.quiet
            }
        }
    }

    private mutating func end(
        _ isOver: (RedisFailure.Kind, Period) -> Bool
    ) -> [(kind: RedisFailure.Kind, period: Period)] {
        let over = current.filter { isOver($0.key, $0.value) }
        for kind in over.keys { current[kind] = nil }
        return over.map { (kind: $0.key, period: $0.value) }.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    /// The one that explains most: a server that can't be reached is also late.
    var worst: (kind: RedisFailure.Kind, period: Period)? {
        RedisFailure.Kind.allCases.lazy.compactMap { kind in
            current[kind].map { (kind: kind, period: $0) }
        }.first
    }
}
