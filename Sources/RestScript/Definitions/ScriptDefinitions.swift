import LuaRuntime
import RestEngine

/// An endpoint as a Lua object.
final class ScriptEndpoint: LuaObject {
    let endpoint: EndpointDefinition
    init(_ endpoint: EndpointDefinition) { self.endpoint = endpoint }

    var keptBytes: Int { endpoint.byteCount }
}

/// A definition as a Lua object.
final class ScriptDefinition: LuaObject {
    let definition: RequestDefinition
    init(_ definition: RequestDefinition) { self.definition = definition }

    var keptBytes: Int { definition.byteCount }
}

/// `rest.raw(…)` as a Lua object.
final class ScriptEscapedText: LuaObject {
    let text: EscapedText
    init(_ text: EscapedText) { self.text = text }

    var keptBytes: Int { text.text.utf8.count }
}

/// A Lua object that returns a definition when it is called. It has a template with names, a function that
/// returns properties, or both.
final class ScriptDefinitionMaker: LuaObject {
    let endpoint: EndpointDefinition
    let method: String
    let template: PathTemplate?
    let properties: RequestProperties
    let function: ScriptFunction?
    /// The line at which the script defines it.
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

    /// The method and URL with the names of the template.
    var description: String {
        let base = endpoint.url.string
        guard let template, !template.description.isEmpty else { return "\(method) \(base)" }
        return "\(method) \(base)\(base.hasSuffix("/") ? "" : "/")\(template)"
    }
}

/// Runs a body that defines something. Its errors are raised at the line of the script that calls.
func defining<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DefinitionError { throw LuaUsageError(error.message) }
}

extension ScriptValues {
    func push(_ definition: RequestDefinition, on lua: Lua) {
        push(ScriptDefinition(definition), on: lua)
    }
}
