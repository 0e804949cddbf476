import LuaRuntime
import RestEngine

/// The fields of a configuration that are not about attempts.
extension ConfigurationBinding {
    var freshnessProperties: [LuaProperty] {
        [
            seconds(
                "expiration_time", default: "30", "How long loaded data stays up to date.",
                { $0.expirationSeconds }
            ) { $0.expirationSeconds = $1 },
            seconds(
                "retry_time", default: "1",
                "How long a failed load stands before the next one, unless there is fresh data.",
                { $0.retrySeconds }
            ) { $0.retrySeconds = $1 },
            seconds(
                "stale_while_revalidate", default: "0",
                "How long past its expiry data may be served while it is loaded anew.",
                { $0.staleWhileRevalidateSeconds }
            ) { $0.staleWhileRevalidateSeconds = $1 },
            seconds(
                "stale_if_error", default: "0",
                "How long past its expiry data may stand in for a load that fails.",
                { $0.staleIfErrorSeconds }
            ) { $0.staleIfErrorSeconds = $1 },
            property(
                "collapse", "boolean | \"shared\"",
                """
                Reads of a stale resource join the load in flight; with `"shared"` also that of another host with the \
                same `rest.shared`, as they do with a cache in it.
                """, default: "true",
                { call in
                    let configuration = try draft(call).configuration
                    if configuration.sharesLoads {
                        call.lua.push("shared")
                    } else {
                        call.lua.push(configuration.isCollapsing)
                    }
                    return .one
                },
                set: { call in
                    let isShared = try call.type(1) == .string && call.string(1, "collapse") == "shared"
                    if isShared { _ = try context.sharedMemory.require(for: "collapse = \"shared\"") }
                    if !isShared, call.type(1) == .string {
                        throw call.bad(1, "collapse", "it is true, false or \"shared\"")
                    }
                    let isCollapsing = try isShared || call.boolean(1, "collapse")
                    try draft(call).edit {
                        $0.isCollapsing = isCollapsing
                        $0.sharesLoads = isShared
                    }
                    return .none
                }),
        ]
    }

    var requestProperties: [LuaProperty] {
        [
            property(
                "headers", "headers", "Request headers, by names that ignore case; assign nil to remove one.",
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
            flag(
                "trace", default: "false", "Requests say in `traceparent` which trace they belong to.",
                { $0.isTraced }, { $0.isTraced = $1 }),
            flag(
                "request_id", default: "true",
                "Requests made for a client of the gateway carry the ID of its request, in `X-Request-Id`.",
                { $0.sendsRequestID }, { $0.sendsRequestID = $1 }),
        ]
    }

    var redirectProperties: [LuaProperty] {
        [
            fieldsProperty(
                "redirects", "Whether and how far redirects are followed, and what goes along."
            ) { [unowned context] in ScriptFields.redirects(of: $0, in: context) }
        ]
    }

    var responseProperties: [LuaProperty] {
        [
            property(
                "max_body_bytes", "integer",
                "The longest decoded body of a response; the value of a JSON body may take twice that.",
                default: "67108864", unit: "bytes", limits: "1 or more",
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
            schemaProperty,
            property("pipeline", "pipeline", "The stages that a response passes.") { call in
                values.push(ScriptPipeline(try draft(call)), on: call.lua)
                return .one
            },
            property(
                "stream", "string | boolean",
                "\"events\": a GET brings server-sent events, each of which becomes the resource's content. \"body\": clients of the gateway get the body of a success as it comes; it is not held, transformed or kept.",
                default: "false",
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
        ]
    }

    var observerProperties: [LuaProperty] {
        [
            seconds(
                "refresh_while_observed", default: "0",
                "Time after its last load at which a resource is loaded again, while it is observed or a stream shows it; 0 is never.",
                { $0.refreshSeconds }
            ) { $0.refreshSeconds = $1 },
            seconds(
                "progress_interval", default: "0.05", "Time between progress reports.",
                { $0.progressSeconds }
            ) { $0.progressSeconds = $1 },
        ]
    }

    var identityProperties: [LuaProperty] {
        [
            property("method", "string", "The method of the requests.") { call in
                call.lua.push(try draft(call).method)
                return .one
            },
            property("url", "string", "The URL of the resource.") { call in
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
}
