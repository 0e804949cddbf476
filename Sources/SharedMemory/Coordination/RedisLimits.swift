internal import Coordination
internal import RestEngine

/// Limits that are counted over the hosts of one server.
@EngineActor
final class RedisLimits {
    private let client: RedisClient
    private let keys: CoordinationKeys
    private let host: String
    private(set) var counts = RedisCoordination.Limits()

    init(client: RedisClient, _ keys: CoordinationKeys, host: String) {
        (self.client, self.keys, self.host) = (client, keys, host)
    }

    /// - Parameter completion: Gets nil if there is no answer in time.
    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void
    ) {
        let kept = limit.rate.map { max(Self.kept, min(2 * limit.burst / $0, Self.longestKept)) } ?? Self.kept
        client.run(
            CoordinationScripts.count, keys: [keys.limit(name)],
            [
                .text(host), .integer(Int(question.seconds * 1000)),
                .text(limit.inFlight.map { "\($0)" } ?? ""), .text(limit.rate.map { "\($0)" } ?? ""),
                .text("\(limit.burst)"), .integer(question.holds), .integer(question.permits),
                .integer(question.tokens), .text("\(question.returned)"), .integer(Int(kept)),
                .integer(Int(question.number)), .text(keys.messagesPrefix), .text(name),
            ]
        ) { [self] result in
            let answer = Self.answer(result)
            if answer == nil { counts.unanswered += 1 } else { counts.answered += 1 }
            completion(answer)
        }
    }

    /// Seconds for which the server keeps a limit that nobody uses, so that it knows the tokens that are
    /// left.
    private static let kept = 600.0
    private static let longestKept = 7 * 86_400.0

    private static func answer(_ result: Result<RedisValue, RedisFailure>) -> LimitAnswer? {
        guard case .success(let value) = result, let parts = value.elements, parts.count == 5 else {
            return nil
        }
        let numbers = parts.compactMap(\.integer)
        guard numbers.count == 5, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        return LimitAnswer(
            permits: Int(numbers[0]), tokens: Int(numbers[1]), nextToken: Double(numbers[2]) / 1000,
            hosts: Int(numbers[3]), isScarce: numbers[4] > 0)
    }
}
