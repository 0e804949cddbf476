import LuaRuntime
import RestEngine

/// What a block says of attempts: retries, limits, breaker, stale data.
extension ConfigurationBinding {
    var attemptProperties: [LuaProperty] {
        [
            switched(
                "retry",
                "Whether and how a request that failed is sent again; `true` takes the usual values.",
                { $0.configuration.retry != nil },
                { draft, isOn in try draft.edit { $0.retry = isOn ? $0.retry ?? RetryPolicy() : nil } },
                { [unowned context] in ScriptFields.retry(of: $0, in: context) }),
            switched(
                "limits", "How many requests may be on their way at once, and in some time.",
                { $0.configuration.limits != nil },
                { draft, isOn in
                    guard !isOn else {
                        throw LuaUsageError("limits says in_flight or rate: c.limits = { in_flight = 4 }")
                    }
                    try draft.edit { $0.limits = nil }
                }, { ScriptFields.limits(of: $0) }),
            switched(
                "breaker",
                "When a server that fails is left alone for a while; `true` takes the usual values.",
                { $0.configuration.breaker != nil },
                { draft, isOn in try draft.edit { $0.breaker = isOn ? $0.breaker ?? BreakerPolicy() : nil } },
                { ScriptFields.breaker(of: $0) }),
            property(
                "priority", "integer", "Of its requests in the queue of a limit; higher first.",
                { call in
                    call.lua.push(try draft(call).configuration.priority)
                    return .one
                },
                set: { call in
                    let priority = Int(clamping: try call.integer(1, "priority"))
                    try draft(call).edit { $0.priority = priority }
                    return .none
                }),
            seconds(
                "stale_if_error", "Seconds past expiry in which data may stand in for a load that fails.",
                { $0.staleIfErrorSeconds }
            ) { $0.staleIfErrorSeconds = $1 },
            seconds(
                "stale_while_revalidate",
                "Seconds past expiry in which data may be served while it is loaded anew.",
                { $0.staleWhileRevalidateSeconds }
            ) { $0.staleWhileRevalidateSeconds = $1 },
        ]
    }

    /// A field of named values that is off until a value is set. `false` switches it off again.
    private func switched(
        _ name: String, _ documentation: String, _ isOn: @escaping @EngineActor (ConfigurationDraft) -> Bool,
        _ turn: @escaping @EngineActor (ConfigurationDraft, Bool) throws -> Void,
        _ make: @escaping @EngineActor (ConfigurationDraft) -> ScriptFields
    ) -> LuaProperty {
        property(
            name, "table | boolean", documentation,
            { call in
                let draft = try draft(call)
                if isOn(draft) { values.push(make(draft), on: call.lua) } else { call.lua.push(false) }
                return .one
            },
            set: { call in
                let draft = try draft(call)
                let place = call.place
                if let flag = call.lua.boolean(call.slot(1)) {
                    try turn(draft, flag)
                } else if call.isAbsent(1) {
                    try turn(draft, false)
                } else {
                    guard call.type(1) == .table else { throw call.wrongType(1, name, "table or boolean") }
                    try make(draft).merge(call.lua, call.slot(1))
                    // An empty table means the default values.
                    if !isOn(draft) { try turn(draft, true) }
                }
                context.blocks.current?.note(place, of: name)
                return .none
            })
    }

    /// Refuses invalid settings, with the line at which the block set them (rule 40.3).
    func checkAttempts(_ draft: ConfigurationDraft, of block: ScriptFunction) throws {
        do throws(Configuration.ValidationError) { try draft.configuration.checkAttempts() } catch {
            guard let place = context.blocks.current?.place(of: error.field) else {
                throw block.failure(error.description)
            }
            throw RequestError.CauseError(
                .scriptError(.init(message: error.description, file: place.file, line: place.line)))
        }
    }
}
