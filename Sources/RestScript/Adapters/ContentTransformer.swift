import LuaRuntime
import RestEngine

/// `function(content, entity) -> content` of a script, as a stage's transformer (siesta-semantics 17.4–17.9).
struct ContentTransformer: Transformer {
    let context: ScriptContext
    let function: LuaReference
    let rules: ContentRules
    let place: String?

    nonisolated var description: String {
        rules.description ?? place.map { "transformer \($0)" } ?? "transformer"
    }

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        switch response {
        case .success(var entity):
            do {
                guard let content = try transform(entity) else { return response }
                entity.content = content
                return .success(entity)
            } catch {
                return .failure(failure(error, entity, pipeline))
            }
        case .failure(var error):
            guard rules.transformErrors, let entity = error.entity, let content = try? transform(entity)
            else {
                return response
            }
            error.entity?.content = content
            return .failure(error)
        }
    }

    /// The new content; nil to leave it as it is.
    private func transform(_ entity: Entity) throws -> Content? {
        guard rules.input.accepts(entity.content) else {
            switch rules.onMismatch {
            case .skip: return nil
            case .skipIfOutputMatches where rules.output.accepts(entity.content): return nil
            default: throw mismatch(expected: rules.input.name, entity.content)
            }
        }
        let lua = context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function)
        context.push(entity.content, on: lua)
        context.push(entity, on: lua)
        do throws(LuaError) {
            try lua.call(arguments: 2, results: 2, phase: ScriptPhases.transformer)
        } catch { throw TransformerFailure(error) }
        guard var content = try context.content(lua, -2) else {
            if let message = lua.string(-1) {
                throw TransformerFailure(message: message, transformer: description)
            }
            throw RequestError.CauseError(.transformerReturnedNil(transformer: description))
        }
        if rules.output == .bytes, case .text(let text) = content { content = .bytes(Array(text.utf8)) }
        guard rules.output.accepts(content) else { throw mismatch(expected: rules.output.name, content) }
        return content
    }

    private func mismatch(expected: String, _ content: Content) -> RequestError.CauseError {
        RequestError.CauseError(
            .wrongInputType(expected: expected, actual: content.typeName, transformer: description))
    }

    /// What a script raised becomes the error that it means; status and body of the response are kept (D12).
    private func failure(_ error: any Error, _ entity: Entity, _ pipeline: PipelineContext) -> RequestError {
        var message: String?
        var cause = error
        if let failure = error as? TransformerFailure {
            (message, cause) = failure.explain(in: context.state)
        } else if let usage = error as? LuaUsageError {
            cause = RequestError.CauseError(.scriptError(.init(message: "\(description): \(usage.message)")))
            message = "Cannot parse server response"
        }
        return RequestError(
            thrown: cause, userMessage: message, entity: entity, timestamp: pipeline.now, url: pipeline.url,
            method: pipeline.method)
    }
}

/// A transformer that raised, or returned nil and a message.
struct TransformerFailure: Error {
    private let luaError: LuaError?
    private let message: String?
    private let transformer: String

    init(_ error: LuaError) {
        luaError = error
        message = nil
        transformer = ""
    }

    init(message: String, transformer: String) {
        luaError = nil
        self.message = message
        self.transformer = transformer
    }

    /// A message for people, if the script gave one on purpose, and the error that carries the cause.
    func explain(in state: LuaState) -> (String?, any Error) {
        guard let luaError else {
            return (message, RequestError.CauseError(.transformerReturnedNil(transformer: transformer)))
        }
        if let known = ScriptFailures.raisedError(luaError, in: state) { return (nil, known) }
        let cause = RequestError.CauseError(ScriptFailures.cause(of: luaError))
        return (luaError.isDeliberate ? luaError.message : "Cannot parse server response", cause)
    }
}
