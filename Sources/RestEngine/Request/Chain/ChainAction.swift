/// What a chain does with the response of the request it waited for (rule 10.2).
public enum ChainAction {
    /// The chain ends with the response as it is, ``ResponseInfo/isNew`` included.
    case useThisResponse
    /// The chain ends with this one, which passes no pipeline (10.11).
    case useResponse(ResponseInfo)
    /// The chain waits for this request, which is started if need be, and takes over its outcome.
    case passTo(Request)
}

/// Decides how a chain goes on, at once or later, by answering the decision, which must be answered.
public typealias ChainDecider = @EngineActor (ResponseInfo, ChainDecision) -> Void
