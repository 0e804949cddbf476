/// One thing that a cache is asked for.
enum CacheOperation {
    case read(@EngineActor (Entity?) -> Void)
    case write(Entity)
    case updateTimestamp(Double)
    case remove

    /// For logs, and to tell one kind of failure from another.
    var name: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .updateTimestamp: "update_timestamp"
        case .remove: "remove"
        }
    }

    /// Says that there is nothing to be had. Whoever reads gets an answer, be it none.
    @EngineActor
    func fail() {
        if case .read(let completion) = self { completion(nil) }
    }
}

/// Why a cache counts as failing, when it did not say so itself.
enum CacheFault: Error, CustomStringConvertible {
    case silent
    case answeredTwice
    /// An earlier thing that it was asked for has no answer yet.
    case busy

    var description: String {
        switch self {
        case .silent: "no answer within \(Int(CacheLimits.answerSeconds)) seconds"
        case .answeredTwice: "it answered a second time"
        case .busy: "it has not answered what it was asked before"
        }
    }
}
