import Logging
import RestEngine

extension EngineEvent.Kind {
    /// The highest level of its events.
    func level(_ failures: Logger.Level) -> Logger.Level {
        switch self {
        case .response: max(.debug, failures)
        case .breaker, .limit, .reload: .debug
        case .request, .attempt, .cache, .state: .trace
        }
    }
}

extension EngineEvent {
    /// The level of its entry.
    func level(_ failures: Logger.Level) -> Logger.Level {
        guard case .response(let outcome) = detail else { return kind.level(failures) }
        return outcome.error == nil || outcome.error == RequestError.Cause.requestCancelled.code
            ? .debug : failures
    }

    /// A text for all events of a kind, so that entries can be counted by it.
    var sentence: String {
        switch detail {
        case .request: "request began"
        case .attempt(let attempt):
            if case .success = attempt.result { "message answered" } else { "message failed" }
        case .response(let outcome): outcome.error == nil ? "request succeeded" : "request failed"
        case .cache(let access): "cache \(access.result.rawValue)"
        case .breaker(let change): "circuit breaker \(change.state.rawValue)"
        case .limit(let action): "request \(action.action.rawValue) by a limit"
        case .reload(let reload): reload.failure == nil ? "script reloaded" : "reload failed"
        case .state(let event): "resource: \(event.name)"
        }
    }

    /// The members of ``tree``, except those that the entry has anyway.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        for (key, value) in tree.pairs where !["kind", "time"].contains(key) {
            metadata[key] = Logger.MetadataValue(value)
        }
        return metadata
    }
}

extension Logger.MetadataValue {
    fileprivate init(_ value: Tree) {
        switch value.kind {
        case .array: self = .array(value.elements.map { Self($0) })
        case .string: self = .string(value.string ?? "")
        default: self = .string((try? value.json()).map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }
}
