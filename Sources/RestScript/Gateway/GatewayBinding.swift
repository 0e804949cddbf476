import LuaRuntime
import Platform
import RestEngine

/// `rest.gateway { listen = …, expose = …, … }`.
struct GatewayBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "gateway", "(options: { ... }) -> gateway", "Declares the HTTP gateway.",
                options: GatewayDeclaration.schema.descriptions
            ) { call in try declareGateway(call) }
        ])
    }

    private func declareGateway(_ call: Arguments) throws -> CallResult {
        try context.declarations.declare(call) { try addGateway(call) }
        values.push(ScriptGateway(), on: call.lua)
        return .one
    }

    private func addGateway(_ call: Arguments) throws {
        guard context.declarations.gateway == nil else {
            throw LuaUsageError("there is one gateway: it was declared before")
        }
        var declaration = GatewayDeclaration()
        let place = call.lua.callerPlace
        (declaration.file, declaration.line) = (place?.file, place?.line)
        try call.options(1).read(GatewayDeclaration.schema, into: &declaration) { try context.grant($0, $1) }
        context.declarations.gateway = declaration
    }
}
