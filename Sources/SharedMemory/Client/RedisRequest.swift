internal import RestEngine

/// Commands on their way to the event loop, and the way back for their replies.
struct RedisRequest: Sendable {
    /// Calls the completion, on the engine loop.
    typealias Delivery = @Sendable @EngineActor () -> Void

    enum Body: Sendable {
        case ready([UInt8])
        /// Made on the event loop, because that takes long.
        case made(@Sendable () throws(RedisFailure) -> [UInt8])
    }

    let id: RedisLink.ID
    let body: Body
    /// The number of its commands, which are written together.
    let replies: Int
    /// Bytes that count as used until the replies have come.
    let weight: Int
    /// Uptime in seconds.
    let deadline: Double
    let changesData: Bool
    /// Reads the replies on the event loop, so that the engine loop need not.
    let read: @Sendable (Result<[RedisValue], RedisFailure>) -> Delivery
}

/// The completions of commands. They stay on the engine loop: otherwise the event loop would now and then
/// release them, and objects of the engine with them.
@EngineActor
final class RedisAnswers {
    private var waiting: [RedisLink.ID: @EngineActor (any Sendable) -> Void] = [:]
    /// Zero is the probe's.
    private var last = RedisLink.probeID

    nonisolated init() {}

    func expect<Value: Sendable>(
        _ completion: @escaping @EngineActor (Result<Value, RedisFailure>) -> Void
    ) -> RedisLink.ID {
        last += 1
        waiting[last] = { answer in
            if let answer = answer as? Result<Value, RedisFailure> { completion(answer) }
        }
        return last
    }

    func give<Value: Sendable>(_ result: Result<Value, RedisFailure>, to id: RedisLink.ID) {
        waiting.removeValue(forKey: id)?(result)
    }
}
