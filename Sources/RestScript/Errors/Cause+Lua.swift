import LuaRuntime
import RestEngine

extension ScriptValues {
    /// Pushes a cause as a table with `type` and its details (docs/guides/errors.md). When a script asked for
    /// the impossible, the table also has the file and line.
    func pushCause(of error: RequestError, on lua: Lua) {
        guard let cause = error.cause else { return lua.pushNil() }
        if case .custom(_, let fields) = cause { return trees.push(fields, on: lua) }
        push(cause, on: lua)
        guard let place = error.place else { return }
        set("file", place.file, on: lua)
        lua.push(place.line)
        lua.rawSet(-2, "line")
    }

    private func push(_ cause: RequestError.Cause, on lua: Lua) {
        lua.newTable(record: 4)
        set("type", cause.code, on: lua)
        switch cause {
        case .scriptError, .scriptLimit, .malformedJSON, .malformedContent, .transport: break
        // The other causes have no text of their own.
        default: set("message", cause.detail, on: lua)
        }
        switch cause {
        case .invalidURL(let source): set("source", source, on: lua)
        case .unencodableText(let encoding, let text):
            set("encoding", encoding, on: lua)
            set("text", text, on: lua)
        case .notURLEncodable(let string): set("string", string, on: lua)
        case .invalidRequestMethod(let method): set("method", method, on: lua)
        case .invalidTextEncoding(let name): set("name", name, on: lua)
        case .undecodableText(let encoding): set("encoding", encoding, on: lua)
        case .jsonNotObjectOrArray(let actual): set("actual", actual, on: lua)
        case .malformedJSON(let offset, let message):
            lua.push(offset)
            lua.rawSet(-2, "offset")
            set("message", message, on: lua)
        case .malformedContent(let error):
            set("format", error.format, on: lua)
            set("message", error.message, on: lua)
            for (name, number) in error.fields {
                lua.push(number)
                lua.rawSet(-2, name)
            }
        case .wrongInputType(let expected, let actual, let transformer):
            set("expected", expected, on: lua)
            set("actual", actual, on: lua)
            set("transformer", transformer, on: lua)
        case .wrongOutputType(let expected, let actual, let transformer):
            set("expected", expected, on: lua)
            set("actual", actual, on: lua)
            set("transformer", transformer, on: lua)
            set("side", CauseFields.outputSide, on: lua)
        case .transformerReturnedNil(let transformer): set("transformer", transformer, on: lua)
        case .scriptError(let failure): set(failure, on: lua)
        case .scriptLimit(let budget, let used, let limit, let failure):
            set("budget", budget, on: lua)
            set("used", used, on: lua)
            set("limit", limit, on: lua)
            set(failure, on: lua)
        case .schemaMismatch(let count, _):
            lua.push(count)
            lua.rawSet(-2, "count")
        case .tooManyRedirects(let limit):
            lua.push(limit)
            lua.rawSet(-2, "count")
        case .transport(let error):
            set("phase", error.phase?.rawValue, on: lua)
            set("message", error.message, on: lua)
            set("reason", error.reason, on: lua)
            set("peer", error.peer, on: lua)
            if let time = error.retryAt { set("retry_at", time, on: lua) }
            if let limit = error.limit {
                lua.push(limit)
                lua.rawSet(-2, "limit")
            }
        case .invalidDefinition, .unreadableFile, .unwritableFile, .invalidHeader, .undecodableContent,
            .invalidJSONObject,
            .internal,
            .requestCancelled, .noLocalDataFor304, .unparsableImage, .custom:
            break
        }
    }

    private func set(_ failure: RequestError.ScriptFailure, on lua: Lua) {
        set("message", failure.message, on: lua)
        set("file", failure.file, on: lua)
        set("traceback", failure.traceback, on: lua)
        if let line = failure.line {
            lua.push(line)
            lua.rawSet(-2, "line")
        }
    }

    private func set(_ field: String, _ text: RawText, on lua: Lua) {
        lua.push(bytes: text.bytes)
        lua.rawSet(-2, field)
    }

    private func set(_ field: String, _ text: String?, on lua: Lua) {
        guard let text else { return }
        lua.push(text)
        lua.rawSet(-2, field)
    }

    private func set(_ field: String, _ number: Double, on lua: Lua) {
        lua.push(number)
        lua.rawSet(-2, field)
    }
}
