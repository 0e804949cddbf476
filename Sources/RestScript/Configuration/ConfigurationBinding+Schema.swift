import JSONTools
import LuaRuntime
import RestEngine

extension ConfigurationBinding {
    /// `c.schema`.
    var schemaProperty: LuaProperty {
        property(
            "schema", "schema | table?",
            "A JSON Schema that the content of each success has to match, behind the stage parsing. Assign nil to remove it.",
            { call in
                if let schema = try draft(call).configuration.schema?.schema as? JSONSchema {
                    values.push(ScriptJSONSchema(schema), on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            set: { call in
                let schema = try contentSchema(call)
                let place = call.place
                try draft(call).edit { $0.schema = schema.map { SchemaCheck($0, origin: place) } }
                context.blocks.current?.note(place, of: "schema")
                return .none
            })
    }

    private func contentSchema(_ call: Arguments) throws -> JSONSchema? {
        if call.isAbsent(1) { return nil }
        if let given = call.lua.object(call.slot(1), as: ScriptJSONSchema.self) { return given.schema }
        guard call.type(1) == .table else { throw call.wrongType(1, "schema", "schema or table") }
        let tree = try values.tree(call, 1, "schema")
        return try context.blocks.schema(tree) { tree in
            try values.schema(tree, JSONSchema.Options(), call.lua)
        }
    }
}
