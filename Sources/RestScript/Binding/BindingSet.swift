import LuaRuntime
import RestEngine

/// Functions, tables and further fields of `rest`, and the classes of objects.
struct BindingSet {
    var functions: [ModuleFunction] = []
    /// Tables of the same name are merged.
    var tables: [ModuleTable] = []
    var fields: [BoundField] = []
    var classes: [BoundClass] = []
    /// Names that scripts have and transformer modules don't, by table.
    private var absent: [String: Set<String>] = [:]

    /// The bindings of transformer modules.
    init(of values: ScriptValues) {
        for binding in BindingList.ofValues { add(binding.init(values: values).bindings) }
    }

    /// The bindings of scripts: those of modules, and those that belong to a script.
    @EngineActor
    init(of values: ScriptValues, in context: ScriptContext) {
        for binding in BindingList.ofScripts { add(binding.init(context: context).bindings) }
        for binding in BindingList.ofValues { add(binding.init(values: values).bindings) }
    }

    init(
        functions: [ModuleFunction] = [], tables: [ModuleTable] = [], fields: [BoundField] = [],
        classes: [BoundClass] = []
    ) {
        self.functions = functions
        self.tables = tables
        self.fields = fields
        self.classes = classes
    }

    private mutating func add(_ other: BindingSet) {
        functions += other.functions
        fields += other.fields
        classes += other.classes
        for table in other.tables {
            if let known = tables.firstIndex(where: { $0.name == table.name }) {
                tables[known].functions += table.functions
            } else {
                tables.append(table)
            }
        }
    }

    /// Names by table, `rest` among them.
    var names: [String: Set<String>] {
        Dictionary(uniqueKeysWithValues: ([rest] + tables).map { ($0.name, Set($0.names)) })
    }

    /// The error for one of these names says that it is missing on purpose.
    mutating func note(absent names: [String: Set<String>]) {
        let known = self.names
        absent = names
        for (table, known) in known { absent[table]?.subtract(known) }
        for index in tables.indices { tables[index].absent = absent[tables[index].name] ?? [] }
    }

    /// `rest` itself. Its tables and fields are known by name only.
    var rest: ModuleTable {
        ModuleTable(
            name: "rest", functions: functions, values: tables.map(\.field) + fields.map(\.name),
            absent: absent["rest"] ?? [])
    }

    /// Pushes the table that `require "resthost"` gives.
    func push(on lua: Lua) {
        let rest = rest
        rest.push(on: lua)
        for table in tables {
            table.push(on: lua)
            table.seal(on: lua)
            lua.rawSet(-2, table.field)
        }
        for field in fields {
            field.push(lua)
            lua.rawSet(-2, field.name)
        }
        rest.seal(on: lua)
    }
}

/// A value in `rest`.
struct BoundField {
    let name: String
    /// For the definitions of the language server.
    let type: String
    let push: (Lua) -> Void

    init(_ name: String, type: String, _ push: @escaping (Lua) -> Void) {
        self.name = name
        self.type = type
        self.push = push
    }
}

/// How objects of a type are shown.
struct BoundClass {
    let type: Any.Type
    /// It has a section in the reference.
    let isListed: Bool
    let make: () -> LuaClass

    init(_ type: Any.Type, isListed: Bool = true, _ make: @escaping () -> LuaClass) {
        self.type = type
        self.isListed = isListed
        self.make = make
    }
}
