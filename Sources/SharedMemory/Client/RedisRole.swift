/// The answer to `ROLE` (redis.io/docs/latest/commands/role).
enum RedisRole: Sendable, Equatable {
    case primary
    case replica
    case sentinel
    /// The user may not ask, or the answer has another form.
    case unknown

    static let question = RedisCommand("ROLE")

    init(_ reply: RedisValue) {
        switch reply.elements?.first?.text {
        case "master": self = .primary
        case "slave": self = .replica
        case "sentinel": self = .sentinel
        default: self = .unknown
        }
    }

    /// The reason why commands can't go to the server; nil if they can. A server whose role is unknown counts
    /// as the primary until it refuses a change.
    var failure: RedisFailure? {
        switch self {
        case .primary, .unknown: nil
        case .replica: Self.replicaFailure
        case .sentinel:
            RedisFailure(.unreachable, "it is a sentinel; its address is \(RedisAddress.sentinelForm)")
        }
    }

    static let replicaFailure = RedisFailure(.readOnly, "it is a replica")

    /// Whether an error reply says that the server is a replica. Before version 7 the error of a script has
    /// other words before it.
    static func isOfReplica(_ reply: RedisValue) -> Bool {
        guard case .error(let text) = reply else { return false }
        return text.hasPrefix("READONLY ") || text.contains("-READONLY ")
    }
}
