import LuaRuntime
import Platform
import RestEngine

/// A request's error as a Lua object.
final class ScriptErrorBox: LuaObject {
    let error: RequestError

    init(_ error: RequestError) { self.error = error }

    var keptBytes: Int { error.heldBytes }
}

/// `rest.error`, and the Lua class of errors.
struct ErrorBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "error",
                    signature: "(options: { ... }) -> error", documentation: "Makes an error.",
                    options: GivenError.schema.descriptions
                ) { call in
                    values.pushError(try makeError(try call.options(1)), on: call.lua)
                    return .one
                }
            ],
            classes: [BoundClass(ScriptErrorBox.self, makeErrorClass)])
    }

    func makeErrorClass() -> LuaClass {
        LuaClass(
            "error", documentation: "The failure of a request. tostring gives one readable line.",
            properties: [
                LuaProperty("user_message", type: "string", documentation: "A sentence for people.") { call in
                    call.lua.push(try call.receiver(as: ScriptErrorBox.self).error.userMessage)
                    return .one
                },
                LuaProperty(
                    "http_status_code", type: "integer?",
                    documentation: "The status of the response, if there was one."
                ) { call in
                    if let status = try call.receiver(as: ScriptErrorBox.self).error.httpStatusCode {
                        call.lua.push(status)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                LuaProperty("entity", type: "entity?", documentation: "The body that came with the failure.")
                { call in
                    if let entity = try call.receiver(as: ScriptErrorBox.self).error.entity {
                        values.push(entity, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                LuaProperty(
                    "cause", type: "table?", documentation: "The cause: a table with `type` and details."
                ) {
                    call in
                    values.pushCause(of: try call.receiver(as: ScriptErrorBox.self).error, on: call.lua)
                    return .one
                },
                LuaProperty(
                    "path", type: "any",
                    documentation:
                        "Short for `cause.path`: of a GraphQL error, the keys that lead to the field."
                ) { call in
                    guard
                        case .custom(_, let fields)? = try call.receiver(as: ScriptErrorBox.self).error.cause,
                        let path = fields["path"]
                    else { return .none }
                    trees.push(path, on: call.lua)
                    return .one
                },
                LuaProperty("timestamp", type: "number", documentation: "Unix seconds.") { call in
                    call.lua.push(try call.receiver(as: ScriptErrorBox.self).error.timestamp)
                    return .one
                },
                LuaProperty(
                    "url", type: "string?",
                    documentation: "The URL of the request, without user and password."
                ) { call in
                    let url = try call.receiver(as: ScriptErrorBox.self).error.url
                    call.lua.push(optional: url.map(URLText.withoutUserInfo))
                    return .one
                },
                LuaProperty("method", type: "string?", documentation: "The method of the request.") { call in
                    call.lua.push(optional: try call.receiver(as: ScriptErrorBox.self).error.method)
                    return .one
                },
                LuaProperty(
                    "attempt", type: "integer",
                    documentation: "The number of the attempt that failed, from 1."
                ) {
                    call in
                    call.lua.push(try call.receiver(as: ScriptErrorBox.self).error.attempt)
                    return .one
                },
                LuaProperty("attempts", type: "attempt[]", documentation: AttemptFields.documentation) {
                    call in
                    values.push(try call.receiver(as: ScriptErrorBox.self).error.attempts, on: call.lua)
                    return .one
                },
                LuaProperty(
                    "text", type: "string", documentation: "The body if it is text, else an empty string."
                ) { call in
                    values.pushText(
                        of: try call.receiver(as: ScriptErrorBox.self).error.entity?.content, on: call.lua)
                    return .one
                },
                LuaProperty(
                    "json", type: "table", documentation: "The body if it is a table, else an empty one."
                ) { call in
                    values.pushJSON(
                        of: try call.receiver(as: ScriptErrorBox.self).error.entity?.content, on: call.lua)
                    return .one
                },
            ],
            tostring: { ($0 as? ScriptErrorBox).map { $0.error.description } ?? "error" },
            elsewhere: Self.elsewhere)
    }

    /// `rest.error { user_message = …, … }`.
    func makeError(_ options: OptionTable) throws -> RequestError {
        var given = GivenError()
        try options.read(GivenError.schema, into: &given)
        let (cause, place) = try given.cause.map { try self.cause(options.lua, $0) } ?? (nil, nil)
        var error = RequestError(
            userMessage: given.userMessage, httpStatusCode: given.httpStatusCode, entity: given.entity,
            cause: cause, timestamp: values.now)
        // A failure of the script has a place of its own.
        if cause?.isFaultOfScript == false { error.place = place }
        return error
    }

    private func cause(_ lua: Lua, _ place: Int32) throws -> (RequestError.Cause?, ScriptLocation?) {
        if let known = lua.object(place, as: ScriptErrorBox.self)?.error {
            return (known.cause ?? Self.cause(known), known.place)
        }
        guard lua.type(place) == .table else {
            let got = lua.nameOfResult(place)
            throw LuaUsageError(
                "option 'cause' is a table, as in { type = \"mine\" }, or an error, not \(got)")
        }
        let fields = try trees.tree(lua, place)
        guard let type = fields["type"]?.string else {
            throw LuaUsageError("option 'cause' needs a field 'type', a string")
        }
        // The type alone is enough for a cancellation. `is_cancellation` of hooks then is true, and the
        // resource does not store it as an error.
        if type == RequestError.Cause.requestCancelled.code { return (.requestCancelled, nil) }
        return CauseFields.read(fields) ?? (.custom(type: type, fields: fields), nil)
    }

    /// The cause of an error that has none: its message.
    private static func cause(_ error: RequestError) -> RequestError.Cause {
        let status = error.httpStatusCode.map { " (\($0))" } ?? ""
        let fields: Tree = ["type": Tree(error.code), "message": Tree(error.userMessage + status)]
        return .custom(type: error.code, fields: fields)
    }

    /// Advice for names that an error does not have.
    private static let elsewhere = [
        "headers": "the entity has them: err.entity.headers",
        "content": "the entity has it: err.entity.content, or err.json, err.text",
        "content_type": "the entity has it: err.entity.content_type",
        "status": "it is err.http_status_code", "code": "it is err.http_status_code, or err.cause.type",
        "type": "it is err.cause.type", "reason": "tostring(err) has it", "detail": "tostring(err) has it",
    ]
}

/// The options of `rest.error`.
private struct GivenError {
    var userMessage: String?
    var httpStatusCode: Int?
    var entity: Entity?
    /// The index of the value on the stack.
    var cause: Int32?

    static let schema = ScriptSchema<GivenError>([
        .text("user_message", "A sentence for people; the default is made from the other options.") {
            $0.userMessage = $1
        },
        .init("http_status_code", type: "integer", "The status of the response, if there was one.") {
            options, error, _ in
            error.httpStatusCode = try options.integer("http_status_code").map { Int($0) }
        },
        .init("entity", type: "entity", "The body of the response.") { options, error, _ in
            error.entity = try options.object("entity", as: ScriptEntity.self, expected: "entity")?.entity
        },
        .place("cause", type: "table | error", "The cause: `{ type = \"mine\", … }`, or another error.") {
            $0.cause = $1
        },
    ])
}

extension ScriptValues {
    func pushError(_ error: RequestError, on lua: Lua) { push(ScriptErrorBox(error), on: lua) }

    /// Pushes the results of a function that waits: the entity, or nil and the error. Returns the number of
    /// values.
    func pushOutcome(_ response: Response, on lua: Lua) -> Int32 {
        switch response {
        case .success(let entity):
            push(entity, on: lua)
            return 1
        case .failure(let error):
            lua.pushNil()
            pushError(error, on: lua)
            return 2
        }
    }

    /// Pushes an error of the engine as a Lua object. False for other errors.
    func present(_ error: any Error, on lua: Lua) -> Bool {
        switch error {
        case let known as RequestError: pushError(known, on: lua)
        case let refused as RequestError.CauseError:
            pushError(RequestError(cause: refused.cause, timestamp: now), on: lua)
        default: return false
        }
        return true
    }

    /// The error of a job, as scripts get it.
    func requestError(of error: LuaError) -> RequestError {
        if let known = ScriptFailures.raisedError(error, in: state) { return known }
        return RequestError(
            userMessage: deliberateMessage(of: error), cause: ScriptFailures.cause(of: error), timestamp: now)
    }
}
