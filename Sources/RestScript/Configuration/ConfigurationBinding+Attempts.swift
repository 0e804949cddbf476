import LuaRuntime
import RestEngine

/// The fields of a configuration that are about time and attempts: timeouts, retries, limits, breaker.
extension ConfigurationBinding {
    var attemptProperties: [LuaProperty] {
        [
            fieldsProperty("timeouts", "Limits of time for a request; 0 is none.", ScriptFields.timeouts),
            switched(
                "retry",
                "Whether and how a failed request is sent again; `true` takes the defaults, `false` switches it off.",
                { $0.configuration.retry != nil },
                { draft, isOn in try draft.edit { $0.retry = isOn ? $0.retry ?? RetryPolicy() : nil } },
                { [unowned context] in ScriptFields.retry(of: $0, in: context) }),
            switched(
                "limits", "How many requests may be in flight at once, and in some time.",
                { $0.configuration.limits != nil },
                { draft, isOn in
                    guard !isOn else {
                        throw LuaUsageError("limits says in_flight or rate: c.limits = { in_flight = 4 }")
                    }
                    try draft.edit { $0.limits = nil }
                },
                { [unowned context] draft in
                    ScriptFields.limits(of: draft) {
                        _ = try context.sharedMemory.require(for: "limits.shared")
                    }
                }),
            switched(
                "breaker",
                "When requests to a server that fails are held back; `true` takes the defaults, `false` switches it off.",
                { $0.configuration.breaker != nil },
                { draft, isOn in try draft.edit { $0.breaker = isOn ? $0.breaker ?? BreakerPolicy() : nil } },
                { ScriptFields.breaker(of: $0) }),
            property(
                "priority", "integer",
                "Rank of the requests in the queue of a limit; the highest goes first.",
                default: "0",
                { call in
                    call.lua.push(try draft(call).configuration.priority)
                    return .one
                },
                set: { call in
                    let priority = Int(clamping: try call.integer(1, "priority"))
                    try draft(call).edit { $0.priority = priority }
                    return .none
                }),
        ]
    }

    /// A field of named values that is off until a value is set. `false` switches it off again.
    private func switched(
        _ name: String, _ documentation: String, _ isOn: @escaping @EngineActor (ConfigurationDraft) -> Bool,
        _ turn: @escaping @EngineActor (ConfigurationDraft, Bool) throws -> Void,
        _ make: @escaping @EngineActor (ConfigurationDraft) -> ScriptFields
    ) -> LuaProperty {
        property(
            name, "table | boolean", documentation, default: "false",
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
