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

    var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(context.fingerprint(of: function))
        hasher.combine(rules)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    nonisolated var origin: String? { place }

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        switch response {
        case .success(var entity):
            do {
                guard let content = try transform(entity) else { return response }
                entity.content = content
                return .success(entity)
            } catch {
                return .failure(
                    context.transformerError(error, of: description, function, from: response, pipeline))
            }
        case .failure(var error):
            guard rules.transformErrors, let entity = error.entity else { return response }
            do {
                guard let content = try transform(entity) else { return response }
                error.entity?.content = content
                return .failure(error)
            } catch let failure {
                // The error stays as it is, and so does its body (17.9).
                context.report(
                    context.transformerError(failure, of: description, function, from: response, pipeline),
                    in: description)
                return response
            }
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
        let content = try context.callTransformer(function) { lua in
            context.push(entity.content, on: lua)
            context.push(entity, on: lua)
            return 2
        } read: { lua, place in
            rules.output.shape(try context.content(lua, place) ?? .value(.null))
        }
        guard rules.output.accepts(content) else { throw mismatch(expected: rules.output.name, content) }
        return content
    }

    private func mismatch(expected: String, _ content: Content) -> RequestError.CauseError {
        RequestError.CauseError(
            .wrongInputType(expected: expected, actual: content.typeName, transformer: description))
    }
}
