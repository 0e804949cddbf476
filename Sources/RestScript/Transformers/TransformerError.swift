import LuaRuntime
import RestEngine

/// The failure of a transformer's function: it raised, or it returned nil with or without a message.
enum TransformerError: Error {
    case raised(LuaError)
    case returnedNil(message: String?)
}

extension ScriptValues {
    /// A number that is equal for functions with the same effect. When that can't be known, it is random.
    func fingerprint(of function: LuaReference) -> UInt64 {
        let known = isClosed ? nil : state.fingerprint(of: function)
        return known ?? UInt64.random(in: 1...UInt64.max)
    }

    /// Calls a transformer's function. `read` gets the index of the first result. A nil there is a failure,
    /// which the second result may explain: a message, or an error object.
    func callTransformer<Result>(
        _ function: ScriptFunction, arguments: (Lua) -> Int32, read: (Lua, Int32) throws -> Result
    ) throws -> Result {
        try requireOpen()
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function.reference)
        let count = arguments(lua)
        do throws(LuaError) {
            try lua.call(arguments: count, results: 2, phase: phases.transformer)
        } catch {
            transformerFailed(error)
            throw TransformerError.raised(error.placed(file: function.file, line: function.line))
        }
        guard lua.type(-2) == .nil else {
            do {
                return try state.limited(by: phases.transformer) { try read(lua, lua.absolute(-2)) }
            } catch let error as LuaError {
                transformerFailed(error)
                throw TransformerError.raised(error.placed(file: function.file, line: function.line))
            }
        }
        if let known = lua.object(-1, as: ScriptErrorBox.self) { throw known.error }
        throw TransformerError.returnedNil(message: lua.string(-1))
    }

    /// The error of a response whose transformer failed. A message that the script raised on purpose is its
    /// message; the status and body of the response are kept (rules 17.7, D12).
    func transformerError(
        _ error: any Error, of transformer: String, _ function: ScriptFunction, from response: Response,
        _ pipeline: PipelineContext
    ) -> RequestError {
        var cause = error
        var message: String?
        switch error {
        case TransformerError.raised(let error):
            cause = ScriptFailures.requestCause(of: error, in: self)
            message = deliberateMessage(of: error)
        case TransformerError.returnedNil(let said):
            cause = RequestError.CauseError(.transformerReturnedNil(transformer: transformer))
            message = said
        case let usage as LuaUsageError:
            cause =
                isClosed
                ? ScriptContext.closed : function.failure("the transformer's \(usage.message)")
        default: break
        }
        return RequestError(
            thrown: cause, userMessage: message ?? RequestError.unparsableMessage, entity: response.entity,
            httpStatusCode: response.error?.httpStatusCode ?? pipeline.status, timestamp: pipeline.now,
            url: pipeline.url, method: pipeline.method)
    }

    /// The message that a script passed to `error`; nil for Lua's own errors, and for a value without a text.
    func deliberateMessage(of error: LuaError) -> String? {
        guard error.isDeliberate else { return nil }
        guard let value = error.value else { return error.message }
        let lua = state.main
        lua.push(value)
        defer { lua.pop() }
        guard lua.type(-1) == .table else { return lua.type(-1) == .userdata ? error.message : nil }
        guard lua.pushMetatable(-1) else { return nil }
        defer { lua.pop() }
        defer { lua.pop() }
        return lua.rawGet(-1, "__tostring") == .nil ? nil : error.message
    }
}
