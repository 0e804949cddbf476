import LuaRuntime
import RestEngine

/// An endpoint in a script's hands.
final class ScriptEndpoint: LuaObject {
    let endpoint: EndpointDefinition
    init(_ endpoint: EndpointDefinition) { self.endpoint = endpoint }

    var keptBytes: Int { endpoint.byteCount }
}

/// A definition in a script's hands.
final class ScriptDefinition: LuaObject {
    let definition: RequestDefinition
    init(_ definition: RequestDefinition) { self.definition = definition }

    var keptBytes: Int { definition.byteCount }
}

/// `rest.raw(…)` in a script's hands.
final class ScriptEscapedText: LuaObject {
    let text: EscapedText
    init(_ text: EscapedText) { self.text = text }

    var keptBytes: Int { text.text.utf8.count }
}

/// What makes definitions when it is called: a template with names, a function that gives properties, or
/// both.
final class ScriptDefinitionMaker: LuaObject {
    let endpoint: EndpointDefinition
    let method: String
    let template: PathTemplate?
    let properties: RequestProperties
    let function: ScriptFunction?
    /// Where the script defines it.
    let origin: String?
    let keptBytes: Int

    init(
        _ endpoint: EndpointDefinition, _ method: String, _ template: PathTemplate?,
        _ properties: RequestProperties, _ function: ScriptFunction?, origin: String?
    ) {
        self.endpoint = endpoint
        self.method = method
        self.template = template
        self.properties = properties
        self.function = function
        self.origin = origin
        let defined = try? endpoint.request(method, properties)
        keptBytes =
            endpoint.byteCount + (defined?.byteCount ?? 0) + 2 * (template?.description.utf8.count ?? 0)
    }

    /// As it is defined, with the names of the template.
    var description: String {
        let base = endpoint.url.string
        guard let template, !template.description.isEmpty else { return "\(method) \(base)" }
        return "\(method) \(base)\(base.hasSuffix("/") ? "" : "/")\(template)"
    }
}

/// Runs what defines something; its mistakes are the script's, at the line that asks.
func defining<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DefinitionError { throw LuaUsageError(error.message) }
}

extension ScriptValues {
    func push(_ definition: RequestDefinition, on lua: Lua) {
        push(ScriptDefinition(definition), on: lua)
    }
}
