import LuaRuntime
import RestEngine

/// Decoded names and values of a client's query or form.
final class ScriptParameters: LuaObject {
    let pairs: [(name: String, value: String)]
    init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

    var keptBytes: Int { pairs.reduce(64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The last one, as in most frameworks.
    func value(_ name: String) -> String? { pairs.last { $0.name == name }?.value }
}

/// The Lua class of a client's parameters.
struct ParametersBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ScriptParameters.self, as: makeParametersClass)])
    }

    private func makeParametersClass() -> LuaClass {
        LuaClass(
            "parameters",
            documentation:
                "The decoded parameters of a client's query or form. A field is the last value of its name; `get` also reads names such as `all`.",
            methods: [
                method("get", "(name: string) -> string?", "The last value of a name.") { call in
                    let parameters = try call.receiver(as: ScriptParameters.self)
                    call.lua.push(optional: parameters.value(try call.string(1, "name")))
                    return .one
                },
                method("all", "(name: string) -> string[]", "All values of a name, in order.") { call in
                    let name = try call.string(1, "name")
                    let found = try call.receiver(as: ScriptParameters.self).pairs.filter { $0.name == name }
                    call.lua.newTable(array: Int32(found.count))
                    for (index, pair) in found.enumerated() {
                        call.lua.push(pair.value)
                        call.lua.rawSet(-2, index + 1)
                    }
                    return .one
                },
            ],
            index: hostFunction { call in
                let parameters = try call.receiver(as: ScriptParameters.self)
                let name = call.type(1) == .string ? call.lua.string(call.slot(1)) : nil
                call.lua.push(optional: name.flatMap(parameters.value))
                return .one
            },
            pairs: hostFunction { call in
                let parameters = try call.receiver(as: ScriptParameters.self)
                call.lua.pushNext()
                call.lua.newTable(record: Int32(parameters.pairs.count))
                for pair in parameters.pairs {
                    call.lua.push(pair.value)
                    call.lua.rawSet(-2, pair.name)
                }
                call.lua.pushNil()
                return .results(3)
            })
    }
}
