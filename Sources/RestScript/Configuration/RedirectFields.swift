import LuaRuntime
import RestEngine

/// `c.redirects`.
extension ScriptFields {
    static func redirects(of draft: ConfigurationDraft, in context: ScriptContext) -> ScriptFields {
        func read() -> RedirectPolicy { draft.configuration.redirects }
        return ScriptFields(
            name: "redirects", of: draft,
            fields: [
                .boolean(
                    "redirects", "follow", default: "true",
                    "Follows redirects; else the redirect itself is the response.", { read().follow }
                ) { flag in try draft.edit { $0.redirects.follow = flag } },
                .integer(
                    "redirects", "max", default: "20", limits: "0 or more",
                    "Redirects of a request that are followed; one more is an error.", { read().max }
                ) { number in
                    guard let number, number >= 0 else {
                        throw LuaUsageError("redirects.max is 0 or more, got \(number ?? 0)")
                    }
                    try draft.edit { $0.redirects.max = number }
                },
                keepHeaders(read) { names in try draft.edit { $0.redirects.keepHeaders = names } },
                on(read, in: context) { function in try draft.edit { $0.redirects.on = function } },
            ])
    }

    private static func keepHeaders(
        _ read: @escaping @EngineActor () -> RedirectPolicy,
        _ write: @escaping @EngineActor ([HeaderName]) throws -> Void
    ) -> Field {
        Field(
            "keep_headers", type: "string[]", default: "{}",
            "Names of headers that go along to another origin, too."
        ) { lua in
            let names = read().keepHeaders
            lua.newTable(array: Int32(clamping: names.count))
            for (index, name) in names.enumerated() {
                lua.push(name.rawValue)
                lua.rawSet(-2, index + 1)
            }
        } write: { lua, index in
            guard lua.type(index) == .table else {
                throw Field.wrongType("redirects", "keep_headers", "list of names", lua.typeName(index))
            }
            try write(
                try lua.strings(index, "keep_headers").map { name in
                    if let problem = Headers.problem(name: name, value: "") { throw LuaUsageError(problem) }
                    return HeaderName(name)
                })
        } text: {
            let names = read().keepHeaders.map { "\"\($0)\"" }
            return names.isEmpty ? nil : "{ " + names.joined(separator: ", ") + " }"
        }
    }

    private static func on(
        _ read: @escaping @EngineActor () -> RedirectPolicy, in context: ScriptContext,
        _ write: @escaping @EngineActor (ConfiguredFunction<RedirectReview>?) throws -> Void
    ) -> Field {
        Field(
            "on", type: "(function(from: string, to: string, status: integer) -> boolean | nil)?",
            "Gets both URLs and the status before a redirect is followed. With `false` the redirect itself is the response."
        ) { lua in
            lua.push(read().on != nil)
        } write: { lua, index in
            if lua.type(index) == .nil { return try write(nil) }
            guard lua.isCallable(index) else {
                throw Field.wrongType("redirects", "on", "function", lua.typeName(index))
            }
            let place = lua.definition(ofFunction: index) ?? lua.callerPlace
            let function = ScriptFunction(
                reference: lua.reference(index), file: place?.file, line: place?.line)
            let review: RedirectReview = { [weak context] from, to, status in
                guard let context else { throw ScriptContext.closed }
                return try context.runner.call(function, phase: context.phases.mutator) { lua in
                    lua.push(from)
                    lua.push(to)
                    lua.push(status)
                    return 3
                } read: { lua in
                    if lua.type(-1) == .nil { return true }
                    if let goesOn = lua.boolean(-1) { return goesOn }
                    throw function.failure(
                        "redirects.on returned \(lua.nameOfResult(-1)) where it must return true, false or nil"
                    )
                }
            }
            try write(ConfiguredFunction(review, origin: function.place ?? ""))
        } text: {
            read().on.map { "function at \($0.origin)" }
        }
    }
}
