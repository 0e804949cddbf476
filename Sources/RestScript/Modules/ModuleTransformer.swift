import LuaRuntime
import Platform
import RestEngine

/// `"module.name"` as a stage's transformer: its function is called in a pool of states; see
/// docs/guides/transformer-modules.md.
struct ModuleTransformer: OffloadedTransformer {
    let pool: ModulePool
    let module: String
    /// The rules from the script's declaration; nil means those of the module.
    let rules: ContentRules?
    /// The name in the script's declaration.
    let name: String?

    var fingerprint: UInt64 {
        var hasher = Hasher()
        let version = pool.catalog[module]
        hasher.combine(module)
        hasher.combine(version?.files.hash.checksum)
        hasher.combine(rules(of: version))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    nonisolated var executor: any TransformerExecutor { pool }

    nonisolated var description: String { description(pool.catalog[module]) }

    nonisolated var origin: String? { pool.catalog[module]?.path }

    nonisolated func mayChange(_ response: Response) -> Bool {
        let rules = rules(of: pool.catalog[module])
        return switch response {
        case .success(let entity): rules.empty || !entity.content.isNoBody
        case .failure: rules.transformErrors
        }
    }

    nonisolated func rules(of version: ModuleVersion?) -> ContentRules {
        rules ?? version?.rules ?? ContentRules()
    }

    nonisolated func description(_ version: ModuleVersion?) -> String {
        name ?? rules(of: version).description ?? "module \(module)"
    }
}

/// The table of a transformer module.
private struct ModuleOptions {
    var transform: LuaReference?
    var rules = GivenRules()

    private static let transform = ScriptOption<ModuleOptions>(
        "transform", type: "function(content, entity)", "Turns a content into another."
    ) { options, given, _ in given.transform = try options.function("transform") }

    private static let ofRules = GivenRules.fields.map {
        (field: ScriptOption<GivenRules>) -> ScriptOption<ModuleOptions> in
        field.within { try $1(&$0.rules) }
    }

    static let schema = ScriptSchema<ModuleOptions>(ofRules + [transform])
}

/// The value that a transformer module returned.
struct ModuleDefinition {
    let function: LuaReference
    /// The line at which the function begins in the module's file; nil when it is not a Lua function.
    let line: Int?
    /// Nil when the module returned only a function.
    let rules: ContentRules?
}

extension ModuleDefinition {
    /// Reads the value of a module: a function, or a table as for `rest.content_transformer`. `trees` numbers
    /// the classes.
    init(_ name: String, _ lua: Lua, _ place: Int32, _ trees: TreeExchange) throws {
        let owner = "transformer module '\(name)'"
        switch lua.type(place) {
        case .function:
            self.init(
                function: lua.reference(place), line: lua.definition(ofFunction: place)?.line, rules: nil)
        case .table:
            let height = lua.top
            defer { lua.setTop(height) }
            var given = ModuleOptions()
            // An error for a misspelled name helps more than one for a missing name.
            try OptionTable(lua: lua, table: place, owner: owner).read(ModuleOptions.schema, into: &given)
            let rules = given.rules.rules(lua, trees)
            for (key, kind) in [("input", rules.input), ("output", rules.output)] {
                if case .classTable = kind { throw Self.classRefusal(key) }
            }
            guard let function = given.transform else {
                throw LuaUsageError(
                    "\(owner) returns a table without 'transform', a function(content, entity)")
            }
            lua.push(function)
            self.init(
                function: function, line: lua.definition(ofFunction: -1)?.line, rules: rules)
        default:
            throw LuaUsageError(
                "\(owner) returns \(lua.nameOfResult(place)): it must return function(content, entity), or a table "
                    + "{ transform = function(content, entity) … }")
        }
    }

    /// A class can't be used, because Lua states share no metatables.
    static func classRefusal(_ option: String) -> LuaUsageError {
        LuaUsageError(
            "option '\(option)' can't be a class for a transformer module: tables lose their class on the way between "
                + "Lua states; write \(option) = \"table\"")
    }
}
