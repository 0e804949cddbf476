import LuaRuntime
import RestEngine

/// An endpoint in a script's hands.
final class ScriptEndpoint {
    let endpoint: EndpointDefinition
    init(_ endpoint: EndpointDefinition) { self.endpoint = endpoint }
}

/// A definition in a script's hands.
final class ScriptDefinition {
    let definition: RequestDefinition
    init(_ definition: RequestDefinition) { self.definition = definition }
}

/// `rest.raw(…)` in a script's hands.
final class ScriptEscapedText {
    let text: EscapedText
    init(_ text: EscapedText) { self.text = text }
}

/// What makes definitions when it is called: a template with names, a function that gives properties, or
/// both.
final class ScriptDefinitionMaker {
    let endpoint: EndpointDefinition
    let method: String
    let template: PathTemplate?
    let properties: RequestProperties
    let function: ScriptFunction?
    /// Where the script defines it.
    let origin: String?

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
    /// Pushes a definition, which the script's memory is charged with.
    func push(_ definition: RequestDefinition, on lua: Lua) {
        lua.noteHeld(definition.byteCount)
        push(ScriptDefinition(definition), on: lua)
    }
}
