extension EngineEvent {
    /// The form for scripts and inspectors: an object with `kind`, `time` and the fields of the kind, without
    /// those that are nil; secrets of URLs are masked (rule 46.7).
    public var tree: Tree {
        var pairs = Pairs()
        pairs.add("kind", kind.rawValue)
        pairs.add("time", time)
        pairs.add("request", request.map { Int64(clamping: $0) })
        pairs.add("request_id", requestID)
        pairs.add("service", service)
        pairs.add("method", method)
        pairs.add("url", url.map(SecretMask.standard.url))
        switch detail {
        case .request: break
        case .attempt(let attempt): attempt.write(&pairs)
        case .response(let outcome): outcome.write(&pairs)
        case .cache(let access): access.write(&pairs)
        case .breaker(let change):
            pairs.add("origin", change.origin)
            pairs.add("state", change.state.rawValue)
            pairs.add("retry_at", change.retryAt)
        case .limit(let action): action.write(&pairs)
        case .reload(let reload):
            pairs.add("trigger", reload.trigger)
            pairs.add("generation", Int64(reload.generation))
            if !reload.modules.isEmpty {
                pairs.all.append(("modules", Tree(reload.modules.map { Tree($0) })))
            }
            pairs.add("error", reload.failure)
        case .state(let event): pairs.add("event", event.name)
        }
        if dropped > 0 { pairs.add("dropped", Int64(dropped)) }
        return Tree(pairs: pairs.all)
    }

    /// Members of an object; a nil value adds none.
    fileprivate struct Pairs {
        var all: [(String, Tree)] = []

        mutating func add(_ name: String, _ value: String?) {
            if let value { all.append((name, Tree(value))) }
        }

        mutating func add(_ name: String, _ value: Double?) {
            if let value { all.append((name, Tree(value))) }
        }

        mutating func add(_ name: String, _ value: Int64?) {
            if let value { all.append((name, Tree(value))) }
        }

        mutating func add(_ name: String, _ value: Bool) { all.append((name, Tree(value))) }
    }
}

extension EngineEvent.Attempt {
    fileprivate func write(_ pairs: inout EngineEvent.Pairs) {
        pairs.add("number", Int64(number))
        pairs.add("reason", reason)
        pairs.add("began", began)
        pairs.add("seconds", seconds)
        pairs.add("trace_id", span?.context.traceID)
        pairs.add("span_id", span?.context.spanID)
        pairs.add("parent_span_id", span?.parentID)
        switch result {
        case .success(let response):
            pairs.add("remote_address", response.remoteAddress)
            pairs.add("status", Int64(response.status))
            pairs.add("http_version", Entity.number(ofVersion: response.httpVersion))
            pairs.add("reused", response.timings.isConnectionReused)
            pairs.add("bytes_sent", response.timings.bytesSent)
            pairs.add("bytes_received", response.timings.bytesReceived)
        case .failure(let error):
            pairs.add("error", isCancelled ? "request_cancelled" : error.code.rawValue)
            pairs.add("phase", error.phase?.rawValue)
            pairs.add("message", SecretMask.standard.line("\(error)"))
        }
    }
}

extension EngineEvent.Outcome {
    fileprivate func write(_ pairs: inout EngineEvent.Pairs) {
        pairs.add("status", status.map { Int64($0) })
        pairs.add("error", error)
        pairs.add("message", message)
        pairs.add("file", place?.file)
        pairs.add("line", place.map { Int64($0.line) })
        pairs.add("is_new", isNew)
        pairs.add("seconds", seconds)
    }
}

extension EngineEvent.CacheAccess {
    fileprivate func write(_ pairs: inout EngineEvent.Pairs) {
        pairs.add("operation", operation)
        pairs.add("stage", stage)
        pairs.add("cache", cache)
        pairs.add("result", result.rawValue)
        pairs.add("message", message)
    }
}

extension EngineEvent.LimitAction {
    fileprivate func write(_ pairs: inout EngineEvent.Pairs) {
        pairs.add("scope", scope)
        pairs.add("action", action.rawValue)
        pairs.add("waited", waited)
        pairs.add("waiting", Int64(waiting))
        pairs.add("in_flight", Int64(inFlight))
    }
}
