import LuaRuntime
import RestEngine

/// The results of a function that answers with a content, a response, an entity or an error, or with nil and
/// an error.
enum ReturnedAnswer {
    case response(Response)
    /// Nil if the function returned nothing.
    case content(Content?)

    /// Reads the results, which are on top of the stack.
    ///
    /// - Parameter function: In error messages: `a route`.
    @EngineActor
    init(_ lua: Lua, _ count: Int32, of function: String, _ context: ScriptContext) {
        let first = lua.top - count + 1
        let now = context.engine.scheduler.now
        if count > 1, lua.type(first) == .nil {
            let known = context.values.response(lua, first + 1)?.error
            self = .response(
                .failure(
                    known ?? RequestError(userMessage: lua.string(first + 1), cause: nil, timestamp: now)))
            return
        }
        if count > 0, let response = context.values.response(lua, first) {
            self = .response(response)
            return
        }
        do {
            self = .content(
                count > 0
                    ? try context.state.limited(by: context.phases.job) {
                        try context.values.content(lua, first)
                    } : nil)
        } catch let error as LuaError {
            self = .response(.failure(context.values.requestError(of: error)))
        } catch {
            let message = (error as? LuaUsageError)?.message ?? "\(error)"
            self = .response(
                .failure(
                    RequestError(
                        cause: .scriptError(.init(message: "\(function)'s \(message)")), timestamp: now)))
        }
    }
}
