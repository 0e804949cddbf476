import LuaRuntime
import RestEngine

/// What a transformer module returned.
struct ModuleDefinition {
    let function: LuaReference
    /// Where the function begins in the module's file; nil when it is none of Lua's.
    let line: Int?
    /// Nil when it returned the function alone.
    let rules: ContentRules?
}

extension ModuleDefinition {
    /// Reads the value of a module: a function, or a table as of `rest.content_transformer`. `trees` number the classes.
    init(_ name: String, _ lua: Lua, _ place: Int32, _ trees: TreeExchange) throws {
        let owner = "transformer module '\(name)'"
        switch lua.type(place) {
        case .function:
            self.init(
                function: lua.reference(place), line: lua.definition(ofFunction: place)?.line, rules: nil)
        case .table:
            let options = OptionTable(lua: lua, table: place, owner: owner)
            let rules = try ContentRules(options, trees)
            for (key, kind) in [("input", rules.input), ("output", rules.output)] {
                if case .classTable = kind { throw Self.classRefusal(key) }
            }
            let function = try options.function("transform")
            // A misspelled name says more than a missing one.
            try options.finish()
            guard let function else {
                throw LuaUsageError(
                    "\(owner) returns a table without 'transform', a function(content, entity)")
            }
            lua.push(function)
            defer { lua.pop() }
            self.init(
                function: function, line: lua.definition(ofFunction: -1)?.line, rules: rules)
        default:
            throw LuaUsageError(
                "\(owner) returns \(lua.nameOfResult(place)): it must return function(content, entity), or a table "
                    + "{ transform = function(content, entity) … }")
        }
    }

    /// States share no metatables.
    static func classRefusal(_ option: String) -> LuaUsageError {
        LuaUsageError(
            "option '\(option)' can't be a class for a transformer module: tables lose their class on the way between "
                + "Lua states; write \(option) = \"table\"")
    }
}
