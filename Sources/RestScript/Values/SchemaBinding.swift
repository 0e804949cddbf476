import JSONTools
import LuaRuntime
import Platform
import RestEngine

/// A compiled schema as a Lua object.
final class ScriptJSONSchema: LuaObject {
    let schema: JSONSchema

    init(_ schema: JSONSchema) { self.schema = schema }

    var keptBytes: Int { schema.heldBytes }
}

/// `rest.schema`, and the Lua class of its results.
struct SchemaBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            tables: [
                ModuleTable(
                    name: "rest.schema",
                    functions: [
                        ModuleFunction(
                            "compile", signature: "(schema: table | boolean, options?: { ... }) -> schema",
                            documentation:
                                "Compiles a JSON Schema (2020-12). A wrong keyword or a reference that leads nowhere is an "
                                + "error with its place.",
                            options: Self.schemaOptions.descriptions
                        ) { call in
                            values.push(ScriptJSONSchema(try compile(call)), on: call.lua)
                            return .one
                        }
                    ])
            ],
            classes: [BoundClass(ScriptJSONSchema.self, makeSchemaClass)])
    }

    private func makeSchemaClass() -> LuaClass {
        LuaClass(
            "schema", documentation: "A compiled JSON Schema, made by rest.schema.compile.",
            methods: [
                LuaMethod(
                    "validate", signature: "(value) -> boolean | nil, table[]",
                    documentation:
                        "True for a value that matches. Otherwise nil and a list of at most 100 mismatches: `path` is a JSON "
                        + "pointer into the value, `schema` that of the keyword, `message` says what is wrong."
                ) { call in
                    let schema = try call.receiver(as: ScriptJSONSchema.self).schema
                    let tree = try values.tree(call, 1, "value")
                    let work = WorkLimit(steps: JSONSchema.mostSteps, poll: call.lua.poll)
                    let found: [SchemaMismatch]
                    do { found = try schema.mismatches(of: tree, work: work) } catch let fault
                        as JSONToolsError
                    {
                        throw LuaUsageError("the value can't be checked: \(fault.message)")
                    }
                    if found.isEmpty {
                        call.lua.push(true)
                        return .one
                    }
                    call.lua.pushNil()
                    push(found, on: call.lua)
                    return .results(2)
                }
            ],
            properties: [
                LuaProperty(
                    "title", type: "string?", documentation: "Its `title`, or else its `$id`."
                ) { call in
                    call.lua.push(optional: try call.receiver(as: ScriptJSONSchema.self).schema.name)
                    return .one
                }
            ],
            tostring: { object in
                (object as? ScriptJSONSchema)?.schema.name.map { "schema '\($0)'" } ?? "schema"
            })
    }

    private func push(_ mismatches: [SchemaMismatch], on lua: Lua) {
        lua.newTable(array: Int32(mismatches.count))
        for (index, mismatch) in mismatches.enumerated() {
            lua.newTable(record: 3)
            for (name, text) in [
                ("path", mismatch.path), ("schema", mismatch.schema), ("message", mismatch.message),
            ] {
                lua.push(text)
                lua.rawSet(-2, name)
            }
            lua.rawSet(-2, index + 1)
        }
    }

    // MARK: Compiling

    private struct Given {
        var documents: Int32?
        var checksFormats = false
    }

    private static let schemaOptions = ScriptSchema<Given>([
        .place(
            "documents", type: "table", isTable: true,
            "Other schemas that `$ref` may name, by their URI: `{ [\"https://…/user.json\"] = { … } }`. The host loads none."
        ) { $0.documents = $1 },
        .flag(
            "formats", default: "false",
            "Whether `format` is checked, too, such as `date-time`, `email`, `uri`, `uuid` and `ipv4`."
        ) { $0.checksFormats = $1 },
    ])

    private func compile(_ call: Arguments) throws -> JSONSchema {
        let type = call.type(1)
        guard type == .table || type == .boolean else {
            throw call.wrongType(1, "schema", "table or boolean")
        }
        let tree = try values.tree(call, 1, "schema")
        var given = Given()
        try call.options(2).read(Self.schemaOptions, into: &given)
        var options = JSONSchema.Options()
        options.checksFormats = given.checksFormats
        if let place = given.documents {
            let documents = try documents(call.lua, place)
            guard documents.kind == .object else { throw LuaUsageError("documents have URIs as keys") }
            options.documents = documents.pairs.map { ($0.key, $0.value) }
        }
        return try values.schema(tree, options, call.lua)
    }

    private func documents(_ lua: Lua, _ place: Int32) throws -> Tree {
        do { return try trees.tree(lua, place) } catch {
            throw error == .spent ? error : LuaUsageError("bad option 'documents' (\(error.message))")
        }
    }
}

extension ScriptValues {
    /// Compiles a schema. Throws a message with the place of a fault.
    func schema(_ tree: Tree, _ options: JSONSchema.Options, _ lua: Lua) throws -> JSONSchema {
        do { return try JSONSchema(tree, options: options, poll: lua.poll) } catch let fault as JSONToolsError
        {
            throw LuaUsageError("the schema can't be used: \(fault.message)")
        }
    }
}
