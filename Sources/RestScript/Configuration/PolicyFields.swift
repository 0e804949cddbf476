import LuaRuntime
import RestEngine

/// `c.retry`, `c.limits` and `c.breaker`: off, or named values.
extension ScriptFields {
    static func retry(of draft: ConfigurationDraft, in context: ScriptContext) -> ScriptFields {
        func edit(_ change: (inout RetryPolicy) -> Void) throws {
            try draft.edit { configuration in
                var policy = configuration.retry ?? RetryPolicy()
                change(&policy)
                configuration.retry = policy
            }
        }
        func read() -> RetryPolicy { draft.configuration.retry ?? RetryPolicy() }
        return ScriptFields(
            name: "retry", of: draft,
            fields: [
                .integer(
                    "retry", "attempts", default: "3", limits: "2 to 100",
                    "Attempts in all, the first included.", { read().attempts }
                ) { number in try edit { $0.attempts = number ?? 0 } },
                .number(
                    "retry", "base", default: "0.2", unit: "seconds", limits: "Above 0",
                    "The longest first wait; it doubles from one wait to the next.", { read().baseSeconds }
                ) { seconds in try edit { $0.baseSeconds = seconds } },
                .number(
                    "retry", "cap", default: "10", unit: "seconds", limits: "`base` or more",
                    "The longest wait of all, that of a server's `Retry-After` included.",
                    { read().capSeconds }
                ) { seconds in try edit { $0.capSeconds = seconds } },
                .number(
                    "retry", "budget", default: "0.2", limits: "0 to 1",
                    "Retries of a host as a share of its requests that may be sent again; three a second are always allowed.",
                    { read().budget }
                ) { share in try edit { $0.budget = share } },
                statuses(read) { statuses in try edit { $0.statuses = statuses } },
                when(read, in: context) { function in try edit { $0.when = function } },
            ])
    }

    private static func statuses(
        _ read: @escaping @EngineActor () -> RetryPolicy,
        _ write: @escaping @EngineActor (Set<Int>) throws -> Void
    ) -> Field {
        Field(
            "statuses", type: "integer[]", default: "{ 408, 425, 429, 500, 502, 503, 504 }",
            limits: "400 to 599",
            "Statuses that are tried again, beside failures of the network that may pass."
        ) { lua in
            let statuses = read().statuses.sorted()
            lua.newTable(array: Int32(clamping: statuses.count))
            for (index, status) in statuses.enumerated() {
                lua.push(status)
                lua.rawSet(-2, index + 1)
            }
        } write: { lua, index in
            guard lua.type(index) == .table else {
                throw Field.wrongType("retry", "statuses", "list of statuses", lua.typeName(index))
            }
            var statuses: Set<Int> = []
            try lua.forEachPair(index) { lua in
                guard let status = lua.integer(-1) else {
                    throw LuaUsageError(
                        "retry.statuses is a list of statuses, and has \(lua.nameOfResult(-1))")
                }
                statuses.insert(Int(clamping: status))
            }
            try write(statuses)
        } text: {
            "{ " + read().statuses.sorted().map { "\($0)" }.joined(separator: ", ") + " }"
        }
    }

    private static func when(
        _ read: @escaping @EngineActor () -> RetryPolicy, in context: ScriptContext,
        _ write:
            @escaping @EngineActor ((@EngineActor (RequestError, Int) throws -> RetryAnswer)?) throws -> Void
    ) -> Field {
        Field(
            "when", type: "(function(err, attempt) -> boolean | number | nil)?",
            "Gets the error and the number of the attempt that failed. Returns whether to try again, or after how many seconds; nil leaves it to the other fields."
        ) { lua in
            lua.push(read().when != nil)
        } write: { lua, index in
            if lua.type(index) == .nil { return try write(nil) }
            guard lua.isCallable(index) else {
                throw Field.wrongType("retry", "when", "function", lua.typeName(index))
            }
            let place = lua.definition(ofFunction: index) ?? lua.callerPlace
            let function = ScriptFunction(
                reference: lua.reference(index), file: place?.file, line: place?.line)
            try write { [weak context] error, attempt in
                guard let context else { throw ScriptContext.closed }
                return try context.runner.call(function, phase: context.phases.retry) { lua in
                    context.values.pushError(error, on: lua)
                    lua.push(attempt)
                    return 2
                } read: { lua in
                    if lua.type(-1) == .nil { return .usual }
                    if let flag = lua.boolean(-1) { return flag ? .retry : .fail }
                    guard let seconds = lua.number(-1), seconds >= 0, seconds.isFinite else {
                        throw function.failure(
                            "retry.when returned \(lua.nameOfResult(-1)) where it must return true, false, nil or seconds"
                        )
                    }
                    return .after(.milliseconds(Int64((min(seconds, 1e9) * 1000).rounded())))
                }
            }
        } text: {
            read().when == nil ? nil : "function"
        }
    }

    /// - Parameter requireShared: Throws if the script has no memory that hosts share.
    static func limits(
        of draft: ConfigurationDraft, requireShared: @escaping @EngineActor () throws -> Void
    ) -> ScriptFields {
        func edit(_ change: (inout RequestLimits) -> Void) throws {
            try draft.edit { configuration in
                var limits = configuration.limits ?? RequestLimits()
                change(&limits)
                configuration.limits = limits
            }
        }
        func read() -> RequestLimits { draft.configuration.limits ?? RequestLimits() }
        return ScriptFields(
            name: "limits", of: draft,
            fields: [
                .integer(
                    "limits", "in_flight", isOptional: true, limits: "1 or more",
                    "Requests in flight at once.",
                    { read().inFlight }
                ) { number in try edit { $0.inFlight = number } },
                .integer(
                    "limits", "queue", isOptional: true, default: "1000", limits: "0 or more",
                    "Requests that may wait; 0 lets none wait.", { read().queue }
                ) { number in try edit { $0.queue = number } },
                .number(
                    "limits", "queue_timeout", default: "10", unit: "seconds",
                    limits: "Above 0, `timeouts.total` at most", "Time that a request may wait.",
                    { read().queueSeconds ?? RequestLimits.standardQueueSeconds }
                ) { seconds in try edit { $0.queueSeconds = seconds } },
                rate(of: draft, read) { rate in try edit { $0.rate = rate } },
                .boolean(
                    "limits", "shared", default: "false",
                    "Whether `in_flight` and `rate` are those of all hosts with the same `rest.shared`, together.",
                    { read().isShared }
                ) { isShared in
                    if isShared { try requireShared() }
                    try edit { $0.isShared = isShared }
                },
                Field(
                    "scope", type: "\"host\" | \"service\" | \"partition\" | string", default: "\"host\"",
                    "The requests that share the limit: those to one origin, those of one service, those of one partition of a service, or all whose `scope` has the same name."
                ) { lua in
                    lua.push("\(read().scope)")
                } write: { lua, index in
                    guard lua.type(index) == .string, let name = lua.string(index) else {
                        throw Field.wrongType("limits", "scope", "string", lua.typeName(index))
                    }
                    try edit { limits in
                        switch name {
                        case "host": limits.scope = .host
                        case "service": limits.scope = .service
                        case "partition": limits.scope = .partition
                        default: limits.scope = .named(name)
                        }
                    }
                } text: {
                    "\(read().scope)"
                },
            ])
    }

    private static func rate(
        of draft: ConfigurationDraft, _ read: @escaping @EngineActor () -> RequestLimits,
        _ write: @escaping @EngineActor (RequestLimits.Rate?) throws -> Void
    ) -> Field {
        let fields = rateFields(of: draft, read, write)
        return Field(
            "rate", type: "rate?", "Requests in some time: a table, which is set as a whole."
        ) { lua in
            guard let rate = read().rate else { return lua.pushNil() }
            // The table is a copy, because a rate is assigned as a whole.
            lua.newTable(record: 3)
            lua.push(rate.requests)
            lua.rawSet(-2, "requests")
            lua.push(rate.perSeconds)
            lua.rawSet(-2, "per")
            lua.push(rate.burst ?? rate.requests)
            lua.rawSet(-2, "burst")
            lua.freeze { _ in
                throw LuaUsageError(
                    "a rate is assigned as a whole: c.limits.rate = { requests = …, per = … }")
            }
        } write: { lua, index in
            if lua.type(index) == .nil || lua.boolean(index) == false { return try write(nil) }
            guard lua.type(index) == .table else {
                throw Field.wrongType("limits", "rate", "table", lua.typeName(index))
            }
            guard lua.rawGet(index, "requests") != .nil else {
                lua.pop()
                throw LuaUsageError("limits.rate says how many: { requests = 10, per = 1 }")
            }
            lua.pop()
            try write(RequestLimits.Rate(requests: 1))
            try fields.merge(lua, index)
        } text: {
            read().rate == nil ? nil : fields.text
        }
    }

    static func rateFields(
        of draft: ConfigurationDraft, _ read: @escaping @EngineActor () -> RequestLimits,
        _ write: @escaping @EngineActor (RequestLimits.Rate?) throws -> Void
    ) -> ScriptFields {
        func edit(_ change: (inout RequestLimits.Rate) -> Void) throws {
            var rate = read().rate ?? RequestLimits.Rate(requests: 1)
            change(&rate)
            try write(rate)
        }
        return ScriptFields(
            name: "limits.rate", of: draft,
            fields: [
                .integer(
                    "limits.rate", "requests", limits: "1 or more",
                    "Requests in the time that `per` sets; a rate has to have it.", { read().rate?.requests }
                ) { number in try edit { $0.requests = number ?? 0 } },
                .number(
                    "limits.rate", "per", default: "1", unit: "seconds", limits: "Above 0",
                    "The time for `requests`.", { read().rate?.perSeconds ?? 1 }
                ) { seconds in try edit { $0.perSeconds = seconds } },
                .integer(
                    "limits.rate", "burst", isOptional: true, limits: "1 or more",
                    "Requests that may go out at once after a pause; without it as many as `requests`.",
                    { read().rate?.burst }
                ) { number in try edit { $0.burst = number } },
            ])
    }

    static func breaker(of draft: ConfigurationDraft) -> ScriptFields {
        func edit(_ change: (inout BreakerPolicy) -> Void) throws {
            try draft.edit { configuration in
                var policy = configuration.breaker ?? BreakerPolicy()
                change(&policy)
                configuration.breaker = policy
            }
        }
        func read() -> BreakerPolicy { draft.configuration.breaker ?? BreakerPolicy() }
        return ScriptFields(
            name: "breaker", of: draft,
            fields: [
                .number(
                    "breaker", "ratio", default: "0.5", limits: "Above 0, 1 at most",
                    "The share of failures that opens the breaker.", { read().ratio }
                ) { share in try edit { $0.ratio = share } },
                .integer(
                    "breaker", "requests", default: "20", limits: "1 or more",
                    "Responses within `window` from which the breaker may open.", { read().requests }
                ) { number in try edit { $0.requests = number ?? 0 } },
                .number(
                    "breaker", "window", default: "10", unit: "seconds", limits: "Above 0",
                    "Time in which responses count.", { read().windowSeconds }
                ) { seconds in try edit { $0.windowSeconds = seconds } },
                .number(
                    "breaker", "open", default: "5", unit: "seconds", limits: "Above 0",
                    "Time in which requests fail at once; then one is let through, and decides.",
                    { read().openSeconds }
                ) { seconds in try edit { $0.openSeconds = seconds } },
            ])
    }
}
