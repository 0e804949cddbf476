import LuaRuntime
import RestEngine

/// A function of a script, `function(content, entity) -> content`, as a stage's transformer
/// (rules 17.4–17.9).
struct ContentTransformer: Transformer {
    let values: ScriptValues
    let call: ContentCall
    /// The place of its function.
    let origin: String?

    nonisolated var description: String { call.description }

    var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(values.fingerprint(of: call.function.reference))
        hasher.combine(call.rules)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        values.transform(response, by: call, pipeline)
    }
}

extension ContentTransformer: GradualTransformer {
    func begin(_ response: Response, _ pipeline: PipelineContext) -> (any GradualTransform)? {
        guard !values.isClosed, let tree = call.input(of: response),
            let parts = TreeParts(of: tree, on: values.state.main)
        else { return nil }
        return GradualContentTransform(self, response, pipeline, parts)
    }
}

/// A content transformer for a large tree. The tree is first made into a Lua value, in parts.
private final class GradualContentTransform: GradualTransform {
    private let transformer: ContentTransformer
    private let response: Response
    private let pipeline: PipelineContext
    private let parts: TreeParts

    init(
        _ transformer: ContentTransformer, _ response: Response, _ pipeline: PipelineContext,
        _ parts: TreeParts
    ) {
        (self.transformer, self.response) = (transformer, response)
        (self.pipeline, self.parts) = (pipeline, parts)
    }

    func advance() -> Bool { transformer.values.isClosed || parts.advance() }

    func finish() -> Response {
        transformer.values.transform(response, by: transformer.call, pipeline, made: parts)
    }
}

/// A content transformer's function with its rules.
struct ContentCall {
    let function: ScriptFunction
    let rules: ContentRules
    /// The name for `explain`, logs and errors.
    let description: String

    /// The array or object that the function will get; nil for other contents.
    fileprivate func input(of response: Response) -> Tree? {
        guard let content = response.entity?.content, rules.input.accepts(content) else { return nil }
        if case .failure = response, !rules.transformErrors { return nil }
        return switch content {
        case .json(let tree), .value(let tree): tree.kind == .array || tree.kind == .object ? tree : nil
        default: nil
        }
    }
}

extension ScriptValues {
    /// Calls a function with a content: that of a success, or an error's body if the rules say so.
    ///
    /// - Parameter made: The content as a Lua value, if it was made before.
    func transform(
        _ response: Response, by call: ContentCall, _ pipeline: PipelineContext, made: TreeParts? = nil
    ) -> Response {
        switch response {
        case .success(var entity):
            guard call.rules.empty || !entity.content.isNoBody else { return response }
            do {
                guard
                    let content = try newContent(
                        of: entity, by: call, made, isPublished: pipeline.isPublished)
                else {
                    return response
                }
                entity.content = content
                return .success(entity)
            } catch {
                return .failure(
                    transformerError(error, of: call.description, call.function, from: response, pipeline))
            }
        case .failure(var error):
            guard call.rules.transformErrors, let entity = error.entity else { return response }
            do {
                guard let content = try newContent(of: entity, by: call, made, isPublished: false) else {
                    return response
                }
                error.entity?.content = content
                return .failure(error)
            } catch let failure {
                // The error and its body stay unchanged (17.9).
                report(
                    transformerError(failure, of: call.description, call.function, from: response, pipeline),
                    in: call.description)
                return response
            }
        }
    }

    /// Nil means that the content stays unchanged.
    private func newContent(
        of entity: Entity, by call: ContentCall, _ made: TreeParts?, isPublished: Bool
    ) throws -> Content? {
        let rules = call.rules
        guard rules.input.accepts(entity.content) || (rules.empty && entity.content.isNoBody) else {
            switch rules.onMismatch {
            case .skip: return nil
            case .skipIfOutputMatches where rules.output.accepts(entity.content): return nil
            default:
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: rules.input.name, actual: entity.content.typeName,
                        transformer: call.description))
            }
        }
        let content = try callTransformer(call.function) { lua in
            if let made { made.push(on: lua) } else { push(entity.content, on: lua) }
            push(entity, on: lua)
            return 2
        } read: { lua, place in
            rules.output.shape(try self.content(lua, place, isPublished: isPublished) ?? .value(.null))
        }
        guard rules.output.accepts(content) else {
            throw RequestError.CauseError(
                .wrongOutputType(
                    expected: rules.output.name, actual: content.typeName, transformer: call.description))
        }
        return content.isSameText(as: entity.content) ? nil : content
    }
}

/// A function of a script, `function(response) -> response`, for successes and failures (rule 17.1).
struct ResponseTransformer: Transformer {
    let values: ScriptValues
    let function: ScriptFunction
    let description: String

    var fingerprint: UInt64 { values.fingerprint(of: function.reference) }

    func process(_ response: Response, _ pipeline: PipelineContext) -> Response {
        do {
            return try values.callTransformer(function) { lua in
                values.push(response, on: lua)
                return 1
            } read: { lua, place in
                if let response = values.response(lua, place) { return response }
                throw LuaUsageError("result is a \(lua.typeName(place)), not a response")
            }
        } catch {
            return .failure(
                values.transformerError(error, of: description, function, from: response, pipeline))
        }
    }
}
