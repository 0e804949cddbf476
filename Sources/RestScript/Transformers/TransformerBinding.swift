import LuaRuntime
import Platform
import RestEngine

/// A transformer as a Lua object: `rest.content_transformer{…}`, `rest.response_transformer(…)` or a standard
/// one.
final class ScriptTransformerBox: LuaObject {
    let transformer: any Transformer
    init(_ transformer: any Transformer) { self.transformer = transformer }

    var keptBytes: Int { 512 + transformer.description.utf8.count }
}

/// The Lua class of transformers, and the functions that make and add them.
struct TransformerBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "content_transformer", "(options: { ... }) -> transformer",
                    "A transformer with type rules.", options: ContentTransformerOptions.schema.descriptions
                ) { call in try makeContentTransformer(call) },
                ModuleFunction(
                    "response_transformer", "(fn, description: string?) -> transformer",
                    "A transformer of whole responses."
                ) { call in try makeResponseTransformer(call) },
            ],
            tables: [standardTransformers],
            classes: [show(ScriptTransformerBox.self, as: makeTransformerClass)])
    }

    private var standardTransformers: ModuleTable {
        ModuleTable(
            name: "rest.transformers",
            functions: StandardTransformer.allCases.map { standard in
                ModuleFunction(
                    standard.rawValue, "(options?: { ... }) -> transformer",
                    "The standard \(standard.rawValue) transformer.",
                    options: StandardTransformerOptions.schema(of: standard).descriptions
                ) { call in try makeStandardTransformer(call, standard) }
            })
    }

    func makeTransformerClass() -> LuaClass {
        LuaClass(
            "transformer", documentation: "Turns a response into another; added to a stage of the pipeline.",
            properties: [
                property("description", "string", "A description of the transformer.") { call in
                    call.lua.push(try call.receiver(as: ScriptTransformerBox.self).transformer.description)
                    return .one
                }
            ],
            tostring: {
                ($0 as? ScriptTransformerBox).map { "transformer \($0.transformer.description)" }
                    ?? "transformer"
            })
    }

    /// A transformer argument in any of its forms (docs/guides/pipeline.md), with the rules that options
    /// give.
    func transformer(
        _ lua: Lua, _ index: Int32, what: String, _ options: GivenRules = GivenRules()
    ) throws -> any Transformer {
        let rules = options.rules(lua, trees)
        let given = options.first
        switch lua.type(index) {
        case .function:
            let known = lua.definition(ofFunction: index) ?? lua.callerPlace
            let place = known.map { "\($0.file):\($0.line)" }
            return ContentTransformer(
                values: context.values,
                call: ContentCall(
                    function: ScriptFunction(
                        reference: lua.reference(index), file: known?.file, line: known?.line),
                    rules: rules,
                    description: rules.description ?? place.map { "transformer \($0)" } ?? "transformer"),
                origin: place)
        case .string:
            let name = lua.string(index) ?? ""
            if let known = context.options.transformers[name] {
                if let given { throw Self.rulesOfItsOwn(given) }
                return known
            }
            return try moduleTransformer(name, what: what, rules, given)
        default:
            guard let box = lua.object(index, as: ScriptTransformerBox.self) else {
                let misspelled = lua.type(index) == .nil ? "nil, which is most likely a misspelled name" : nil
                throw LuaUsageError(
                    "\(what) is a function(content, entity), the name of a module, or a transformer of rest.*, not "
                        + (misspelled ?? lua.nameOfResult(index)))
            }
            if let given { throw Self.rulesOfItsOwn(given) }
            return box.transformer
        }
    }

    private func moduleTransformer(
        _ name: String, what: String, _ rules: ContentRules, _ given: String?
    ) throws -> any Transformer {
        for (key, kind) in [("input", rules.input), ("output", rules.output)] {
            if case .classTable = kind { throw ModuleDefinition.classRefusal(key) }
        }
        let pool = context.modules
        let version: ModuleVersion
        do throws(LuaError) { version = try pool.declare(name) } catch {
            // When there is a file, the error already describes its fault.
            guard error.file == nil else { throw error }
            let names = options.transformers.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
            let registered = names.isEmpty ? "" : "this program registers \(names), and "
            throw LuaUsageError("\(what) '\(name)' is no transformer: \(registered)\(error.message)")
        }
        if version.rules != nil, let given { throw Self.rulesOfItsOwn(given) }
        return ModuleTransformer(
            pool: pool, module: name, rules: given == nil ? nil : rules, name: rules.description)
    }

    private static func rulesOfItsOwn(_ option: String) -> LuaUsageError {
        LuaUsageError("option '\(option)' belongs to a function: this transformer has rules of its own")
    }

    /// `service:configure_transformer(pattern, [options,] transformer)`.
    func addTransformer(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        let last = call.count
        try BlockBinding.refuseSwapped(call, last: last, "configure_transformer", "transformer")
        guard last == 2 || last == 3 else {
            let got =
                switch (last, call.type(1)) {
                case (0, _): "nothing"
                case (1, .nil): "nil alone, which is most likely a misspelled name"
                case (1, _): "\(call.lua.nameOfResult(call.slot(1))) alone"
                default: "\(last) arguments"
                }
            throw LuaUsageError(
                "'configure_transformer' takes a pattern, options and a transformer, but got \(got): "
                    + "write configure_transformer(pattern, [options,] transformer)")
        }
        let pattern = try PatternBinding(context: context).pattern(call, 1, service)
        var given = ConfiguredTransformerOptions()
        try call.options(last == 3 ? 2 : 4).read(ConfiguredTransformerOptions.schema, into: &given)
        let (stage, action, contentTypes) = (given.stage, given.action, given.contentTypes)
        let description = given.rules.description
        let transformer = try transformer(
            call.lua, call.slot(last), what: "the transformer", given.rules)
        let place = call.lua.callerPlace
        context.declarations.keep(
            pattern.heldBytes + (description?.utf8.count ?? 0) + transformer.description.utf8.count)
        let summary = "\(pattern.summary): \(transformer.description) in \(stage)"
        service.configure(
            ConfigurationEntry(
                pattern: pattern, methods: given.methods ?? Method.ofTransformers,
                description: description ?? summary,
                origin: place.map { "\($0.file):\($0.line)" }, isUniform: true
            ) { draft in
                try PipelineBinding.requireStage(stage, of: draft.configuration.pipeline, at: place)
                if action == .replace { draft.configuration.pipeline[stage].removeTransformers() }
                draft.configuration.pipeline[stage].add(transformer, contentTypes: contentTypes)
            })
    }

    /// `rest.content_transformer { … }`.
    func makeContentTransformer(_ call: Arguments) throws -> CallResult {
        var given = ContentTransformerOptions()
        try call.options(
            1, example: "rest.content_transformer { transform = function(content) … end }"
        ).read(ContentTransformerOptions.schema, into: &given)
        let transformer = try transformer(call.lua, given.transform, what: "option 'transform'", given.rules)
        values.push(ScriptTransformerBox(transformer), on: call.lua)
        return .one
    }

    /// `rest.response_transformer(fn [, description])`.
    func makeResponseTransformer(_ call: Arguments) throws -> CallResult {
        let function = try call.scriptFunction(1, "fn")
        let description = try call.optionalText(2, "description", .description)
        let transformer = ResponseTransformer(
            values: context.values, function: function,
            description: description ?? function.place ?? "response transformer")
        values.push(ScriptTransformerBox(transformer), on: call.lua)
        return .one
    }

    /// `rest.transformers.json{…}` and its kin.
    func makeStandardTransformer(_ call: Arguments, _ standard: StandardTransformer) throws -> CallResult {
        var given = StandardTransformerOptions()
        try call.options(1).read(StandardTransformerOptions.schema(of: standard), into: &given)
        let (errors, empty) = (given.transformErrors, given.empty)
        let transformer: any Transformer =
            switch standard {
            case .json:
                JSONTransformer(
                    transformErrors: errors ?? true, transformEmpty: empty ?? false,
                    allowFragments: given.allowFragments)
            case .ndjson:
                NDJSONTransformer(transformErrors: errors ?? true, transformEmpty: empty ?? true)
            case .text:
                TextTransformer(
                    transformErrors: errors ?? true, transformEmpty: empty ?? false, charset: given.charset)
            case .image:
                ImageTransformer(transformErrors: errors ?? false, transformEmpty: empty ?? false)
            }
        values.push(ScriptTransformerBox(transformer), on: call.lua)
        return .one
    }
}
