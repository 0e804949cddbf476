import LuaRuntime
import Platform
import RestEngine

extension ConfigurationDraft {
    /// Refuses to change a configuration that is in use; see docs/guides/configuration-blocks.md.
    func edit(_ change: (inout Configuration) throws -> Void) throws {
        guard !isFrozen else { throw Self.isFrozenError }
        var changed = configuration
        try change(&changed)
        guard changed.heldBytes <= Self.mostBytes else { throw Self.isTooLargeError }
        configuration = changed
    }

    /// The most bytes of names, values, lists and functions (limit L312). Each resource has a configuration
    /// of its own.
    private static let mostBytes = 256 << 10

    private static var isTooLargeError: LuaUsageError {
        LuaUsageError(
            "a configuration takes \(Platform.ByteCount.text(mostBytes)) of headers, names and functions "
                + "at most")
    }

    static var isFrozenError: LuaUsageError {
        LuaUsageError(
            "this configuration is frozen: change it in a block, and call invalidate_configuration() to run the blocks again"
        )
    }
}

/// The configuration that a block edits.
struct ConfigurationBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ConfigurationDraft.self, as: makeConfigurationClass)])
    }

    func makeConfigurationClass() -> LuaClass {
        LuaClass(
            "configuration",
            documentation: "How to request a resource with one method; edited by configuration blocks.",
            methods: [
                method(
                    "decorate_requests", "(fn: function(resource, request) -> request)",
                    "Wraps or replaces requests before they start, in order."
                ) { call in
                    let function = try call.scriptFunction(1, "fn")
                    let origin = function.place ?? call.place ?? ""
                    let known = context.blocks.authentication(of: call.lua.identity(call.slot(1)))
                    let placed = ConfiguredFunction(
                        DraftBinding(context: context).decorator(function), origin: origin,
                        authentication: known?.name, authorization: known?.header)
                    try draft(call).edit { $0.decorators.append(placed) }
                    return .none
                },
                method(
                    "mutate_requests", "(fn: function(draft))",
                    "Edits requests before they are sent, in order."
                ) { call in
                    let function = try call.scriptFunction(1, "fn")
                    let origin = function.place ?? call.place ?? ""
                    try draft(call).edit {
                        $0.mutators.append(DraftBinding(context: context).mutation(function), origin: origin)
                    }
                    return .none
                },
            ],
            properties: groups.flatMap(\.properties),
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated {
                    (object as? ConfigurationDraft).map {
                        "configuration of \($0.method) \($0.url?.string ?? ":")"
                    }
                        ?? "configuration"
                }
            })
    }

    /// Fields that belong together, for the reference.
    struct Group {
        let title: String
        let properties: [LuaProperty]
    }

    /// All fields.
    var groups: [Group] {
        [
            Group(title: "Freshness and caching", properties: freshnessProperties),
            Group(title: "Requests", properties: requestProperties),
            Group(title: "Time and attempts", properties: attemptProperties),
            Group(title: "Redirects", properties: redirectProperties),
            Group(title: "Responses and the pipeline", properties: responseProperties),
            Group(title: "Observers and the gateway", properties: observerProperties),
            Group(title: "The resource", properties: identityProperties),
        ]
    }

    func draft(_ call: Arguments) throws -> ConfigurationDraft {
        try call.receiver(as: ConfigurationDraft.self)
    }

    func flag(
        _ name: String, default standard: String, _ documentation: String,
        _ read: @escaping @Sendable (Configuration) -> Bool,
        _ write: @escaping @Sendable (inout Configuration, Bool) -> Void
    ) -> LuaProperty {
        property(
            name, "boolean", documentation, default: standard,
            { call in
                call.lua.push(read(try draft(call).configuration))
                return .one
            },
            set: { call in
                let value = try call.boolean(1, name)
                try draft(call).edit { write(&$0, value) }
                return .none
            })
    }

    func seconds(
        _ name: String, default standard: String, _ documentation: String,
        _ read: @escaping @Sendable (Configuration) -> Double,
        _ write: @escaping @Sendable (inout Configuration, Double) -> Void
    ) -> LuaProperty {
        property(
            name, "number", documentation, default: standard, unit: "seconds", limits: "0 or more",
            { call in
                call.lua.push(read(try draft(call).configuration))
                return .one
            },
            set: { call in
                let value = try call.number(1, name)
                guard value >= 0 else { throw call.bad(1, name, "seconds are 0 or more, got \(value)") }
                try draft(call).edit { write(&$0, value) }
                return .none
            })
    }

    /// A field of named values: read one, set one, or assign a table, which is merged.
    func fieldsProperty(
        _ name: String, _ documentation: String,
        _ make: @escaping @EngineActor (ConfigurationDraft) -> ScriptFields
    ) -> LuaProperty {
        property(
            name, "table", documentation,
            { call in
                values.push(make(try draft(call)), on: call.lua)
                return .one
            },
            set: { call in
                let place = call.place
                try make(try draft(call)).merge(call.lua, try call.table(1, name))
                context.blocks.current?.note(place, of: name)
                return .none
            })
    }
}
