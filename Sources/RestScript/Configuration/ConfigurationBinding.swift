import LuaRuntime
import RestEngine

extension ConfigurationDraft {
    /// Refuses to change a configuration that is in use; see docs/guides/configuration-blocks.md.
    func edit(_ change: (inout Configuration) throws -> Void) throws {
        guard !isFrozen else { throw Self.isFrozenError }
        try change(&configuration)
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
            properties: timeProperties + attemptProperties + shapeProperties,
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

    func draft(_ call: Arguments) throws -> ConfigurationDraft {
        try call.receiver(as: ConfigurationDraft.self)
    }

    private var timeProperties: [LuaProperty] {
        [
            seconds("expiration_time", "Seconds that loaded data stays up to date.", { $0.expirationSeconds })
            {
                $0.expirationSeconds = $1
            },
            seconds("retry_time", "Seconds after a failed load before the next.", { $0.retrySeconds }) {
                $0.retrySeconds = $1
            },
            seconds("progress_interval", "Seconds between progress reports.", { $0.progressSeconds }) {
                $0.progressSeconds = $1
            },
            seconds(
                "refresh_while_observed",
                "Seconds after its last load in which a resource is loaded again while somebody observes it or a stream shows it; 0: never.",
                { $0.refreshSeconds }
            ) {
                $0.refreshSeconds = $1
            },
            fieldsProperty("timeouts", "In seconds; 0 means none.", ScriptFields.timeouts),
        ]
    }

    private var shapeProperties: [LuaProperty] {
        [
            property(
                "headers", "headers", "Request headers; assign nil to remove one.",
                { call in
                    let draft = try draft(call)
                    values.push(
                        ScriptHeaders(
                            of: draft, read: { draft.configuration.headers },
                            write: { headers in try draft.edit { $0.headers = headers } }), on: call.lua)
                    return .one
                },
                set: { call in
                    let headers = try call.lua.sendableHeaders(try call.table(1, "headers"))
                    try draft(call).edit { $0.headers = headers }
                    return .none
                }),
            property(
                "accept", "string | string[]?",
                "Short for the Accept header: a content type, or a list of them in order; nil leaves it out.",
                { call in
                    call.lua.push(optional: try draft(call).configuration.headers["Accept"])
                    return .one
                },
                set: { call in
                    let types = try call.lua.headerValues(call.slot(1), name: "Accept").joined(
                        separator: ", ")
                    if let problem = Headers.problem(name: "Accept", value: types) {
                        throw LuaUsageError(problem)
                    }
                    try draft(call).edit { $0.headers.set("Accept", values: types.isEmpty ? [] : [types]) }
                    return .none
                }),
            property("pipeline", "pipeline", "The stages that a response passes.") { call in
                values.push(ScriptPipeline(try draft(call)), on: call.lua)
                return .one
            },
            fieldsProperty(
                "redirects", "Whether and how far redirects are followed, and what goes along."
            ) { [unowned context] in ScriptFields.redirects(of: $0, in: context) },
            property(
                "max_body_bytes", "integer",
                "Cap on the decoded body of a response; the value of a JSON body may take twice that.",
                { call in
                    call.lua.push(try draft(call).configuration.maxBodyBytes)
                    return .one
                },
                set: { call in
                    let bytes = try call.integer(1, "max_body_bytes")
                    guard bytes > 0 else { throw call.bad(1, "max_body_bytes", "it is 1 or more") }
                    try draft(call).edit { $0.maxBodyBytes = Int(bytes) }
                    return .none
                }),
            flag(
                "collapse", "Reads of a stale resource join the load in flight.", { $0.isCollapsing },
                { $0.isCollapsing = $1 }),
            property(
                "stream", "string | boolean",
                "\"events\": a GET brings server-sent events, each of which becomes the resource's content. \"body\": clients of the gateway get the body of a success as it comes; it is not held, transformed or kept.",
                { call in
                    if let stream = try draft(call).configuration.stream {
                        call.lua.push(stream.rawValue)
                    } else {
                        call.lua.push(false)
                    }
                    return .one
                },
                set: { call in
                    let stream = try stream(call)
                    try draft(call).edit { $0.stream = stream }
                    context.blocks.current?.note(call.place, of: "stream")
                    return .none
                }),
            flag(
                "trace", "Requests say in `traceparent` which trace they belong to.", { $0.isTraced },
                { $0.isTraced = $1 }),
            property("method", "string", "What is being configured.") { call in
                call.lua.push(try draft(call).method)
                return .one
            },
            property("url", "string", "What is being configured.") { call in
                call.lua.push(try draft(call).url?.string ?? ":")
                return .one
            },
        ]
    }

    /// `"events"` or `"body"`; false and nil are none.
    private func stream(_ call: Arguments) throws -> ContentStream? {
        if call.isAbsent(1) || call.lua.boolean(call.slot(1)) == false { return nil }
        let name = try call.string(1, "stream")
        guard let stream = ContentStream(rawValue: name) else {
            throw call.bad(1, "stream", "it is \"events\", \"body\" or false, got '\(name)'")
        }
        return stream
    }

    private func flag(
        _ name: String, _ documentation: String, _ read: @escaping @Sendable (Configuration) -> Bool,
        _ write: @escaping @Sendable (inout Configuration, Bool) -> Void
    ) -> LuaProperty {
        property(
            name, "boolean", documentation,
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
        _ name: String, _ documentation: String, _ read: @escaping @Sendable (Configuration) -> Double,
        _ write: @escaping @Sendable (inout Configuration, Double) -> Void
    ) -> LuaProperty {
        property(
            name, "number", documentation,
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
    private func fieldsProperty(
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
