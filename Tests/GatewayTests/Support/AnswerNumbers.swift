import RestEngine

/// An API whose answers are the numbers of the requests to it: `[1]`, `[2]`.
@EngineActor
final class AnswerNumbers {
    private(set) var last = 0

    nonisolated init() {}

    nonisolated var reply: @EngineActor @Sendable (TransportRequest) -> TransportResult {
        { [self] _ in
            last += 1
            return .success(.stub("[\(last)]"))
        }
    }
}
