import LuaRuntime
import RestEngine

/// `function(response) -> response` of a script, for successes and failures (siesta-semantics 17.1).
struct ResponseTransformer: Transformer {
    let context: ScriptContext
    let function: LuaReference
    let description: String

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        do {
            return try context.call(function, phase: ScriptPhases.transformer) { lua in
                context.push(response, on: lua)
                return 1
            } read: { lua in
                if let box = lua.object(-1, as: ScriptResponse.self) { return box.response }
                if let box = lua.object(-1, as: ScriptEntity.self) { return .success(box.entity) }
                if let box = lua.object(-1, as: ScriptErrorBox.self) { return .failure(box.error) }
                throw RequestError.CauseError(
                    .scriptError(
                        .init(message: "\(description) returned a \(lua.typeName(-1)), not a response")))
            }
        } catch {
            return .failure(
                RequestError(
                    thrown: error, entity: response.entity, timestamp: pipeline.now, url: pipeline.url,
                    method: pipeline.method))
        }
    }
}
