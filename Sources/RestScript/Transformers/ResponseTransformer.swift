import LuaRuntime
import RestEngine

/// `function(response) -> response` of a script, for successes and failures (siesta-semantics 17.1).
struct ResponseTransformer: Transformer {
    let context: ScriptContext
    let function: ScriptFunction
    let description: String

    var fingerprint: UInt64 { context.fingerprint(of: function.reference) }

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        do {
            return try context.callTransformer(function) { lua in
                context.push(response, on: lua)
                return 1
            } read: { lua, place in
                if let response = context.response(lua, place) { return response }
                throw LuaUsageError("result is a \(lua.typeName(place)), not a response")
            }
        } catch {
            return .failure(
                context.transformerError(error, of: description, function, from: response, pipeline))
        }
    }
}
