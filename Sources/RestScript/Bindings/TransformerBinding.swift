import LuaRuntime
import RestEngine

/// `rest.content_transformer{…}`, `rest.response_transformer(…)` or a standard one, in a script's hands.
final class ScriptTransformerBox {
    let transformer: any Transformer
    init(_ transformer: any Transformer) { self.transformer = transformer }
}

extension ScriptContext {
    func makeTransformerClass() -> LuaClass {
        LuaClass(
            "transformer", documentation: "Turns a response into another; added to a stage of the pipeline.",
            properties: [
                property("description", "string", "What it is.") { call in
                    call.lua.push(try call.receiver(as: ScriptTransformerBox.self).transformer.description)
                    return .one
                }
            ],
            tostring: {
                ($0 as? ScriptTransformerBox).map { "transformer \($0.transformer.description)" }
                    ?? "transformer"
            })
    }

    /// A transformer argument in any of its forms (lua-api, Transformers).
    func transformer(_ lua: Lua, _ index: Int32, what: String, rules: ContentRules = ContentRules()) throws
        -> any Transformer
    {
        if let box = lua.object(index, as: ScriptTransformerBox.self) { return box.transformer }
        switch lua.type(index) {
        case .function:
            return ContentTransformer(
                context: self, function: lua.reference(index), rules: rules,
                place: lua.place(ofFunction: index))
        case .string: return try namedTransformer(lua.string(index) ?? "", what: what)
        default:
            throw LuaUsageError(
                "\(what) is a function(content, entity) or a transformer of rest.*, not a \(lua.typeName(index))"
            )
        }
    }

    /// A transformer that the embedding program registered.
    private func namedTransformer(_ name: String, what: String) throws -> any Transformer {
        if let known = options.transformers[name] { return known }
        let names = options.transformers.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
        let registered =
            names.isEmpty ? "this program registers none" : "this program registers \(names)"
        throw LuaUsageError(
            "\(what) '\(name)' is no transformer: \(registered), and transformer modules are not available yet; "
                + "give a function")
    }

    /// `service:configure_transformer(pattern, [options,] transformer)`.
    func addTransformer(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        let last = call.count
        guard last == 2 || last == 3 else {
            throw LuaUsageError("'configure_transformer' takes a pattern, options and a transformer")
        }
        let pattern = call.isAbsent(1) ? .all : try pattern(call, 1, service)
        let options = try call.options(last == 3 ? 2 : 4)
        let stage = try options.string("stage") ?? "model"
        let name = try options.string("action") ?? "replace"
        guard let action = StageAction(rawValue: name) else {
            throw LuaUsageError("option 'action' is \"replace\" or \"append\", not \"\(name)\"")
        }
        let methods = try methods(options) ?? Method.ofTransformers
        let rules = try contentRules(options)
        let isRegistered =
            call.lua.string(call.slot(last)).map { self.options.transformers[$0] != nil } ?? false
        if isRegistered || call.lua.object(call.slot(last), as: ScriptTransformerBox.self) != nil {
            for key in ["input", "output", "on_mismatch", "transform_errors"]
            where options.reference(key) != nil {
                throw LuaUsageError(
                    "option '\(key)' belongs to a function: this transformer has rules of its own")
            }
        }
        let contentTypes = try contentTypes(options)
        try options.finish()
        let transformer = try transformer(call.lua, call.slot(last), what: "the transformer", rules: rules)
        let summary = "\(pattern.summary): \(transformer.description) in \(stage)"
        service.configure(
            ConfigurationEntry(
                pattern: pattern, methods: methods, description: rules.description ?? summary,
                origin: call.lua.callerPlace.map { "\($0.file):\($0.line)" }, isUniform: true
            ) { draft in
                if action == .replace { draft.configuration.pipeline[stage].removeTransformers() }
                draft.configuration.pipeline[stage].add(transformer, contentTypes: contentTypes)
            })
    }

    func contentTypes(_ options: OptionTable) throws -> [String]? {
        guard let place = options.value("content_types") else { return nil }
        defer { options.lua.pop() }
        return try options.lua.string(place).map { [$0] } ?? options.lua.strings(place, "content_types")
    }

    /// The type rules of a content transformer.
    func contentRules(_ options: OptionTable) throws -> ContentRules {
        var rules = ContentRules()
        rules.input = try contentType(options, "input")
        rules.output = try contentType(options, "output")
        if let text = try options.string("on_mismatch") {
            guard let action = InputMismatch(rawValue: text) else {
                throw LuaUsageError(
                    "option 'on_mismatch' is \"error\", \"skip\" or \"skip_if_output_matches\", not \"\(text)\""
                )
            }
            rules.onMismatch = action
        }
        rules.transformErrors = try options.boolean("transform_errors") ?? false
        rules.description = try options.string("description")
        return rules
    }

    private func contentType(_ options: OptionTable, _ key: String) throws -> ContentRules.Kind {
        guard let place = options.value(key) else { return .any }
        defer { options.lua.pop() }
        guard let name = options.lua.string(place) else {
            if options.lua.type(place) == .table {
                return .classTable(trees.register(class: options.lua, place))
            }
            throw LuaUsageError("option '\(key)' is the name of a type or a class table")
        }
        guard let kind = ContentRules.Kind(name: name) else {
            throw LuaUsageError(
                "option '\(key)' can't be \"\(name)\": types are "
                    + ContentRules.Kind.names.map { "\"\($0)\"" }.joined(separator: ", ")
                    + ", or a class table")
        }
        return kind
    }

    /// `rest.content_transformer{…}`.
    func makeContentTransformer(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        let rules = try contentRules(options)
        guard let place = options.value("transform") else {
            throw LuaUsageError("option 'transform' is missing in the call of 'content_transformer'")
        }
        let transformer = try transformer(call.lua, place, what: "option 'transform'", rules: rules)
        call.lua.pop()
        try options.finish()
        call.lua.push(object: ScriptTransformerBox(transformer), class: transformerClass)
        return .one
    }

    /// `rest.response_transformer(fn [, description])`.
    func makeResponseTransformer(_ call: Arguments) throws -> Verdict {
        let function = try call.function(1, "fn")
        let description = try call.optionalString(2, "description")
        let transformer = ResponseTransformer(
            context: self, function: function,
            description: description ?? call.lua.place(ofFunction: call.slot(1)) ?? "response transformer")
        call.lua.push(object: ScriptTransformerBox(transformer), class: transformerClass)
        return .one
    }

    /// `rest.transformers.json{…}` and its kin.
    func makeStandardTransformer(_ call: Arguments, _ standard: StandardTransformer) throws -> Verdict {
        let options = try call.options(1)
        let errors = try options.boolean("transform_errors")
        let transformer: any Transformer
        switch standard {
        case .json:
            transformer = JSONTransformer(
                transformErrors: errors ?? true,
                allowFragments: try options.boolean("allow_fragments") ?? false)
        case .text: transformer = TextTransformer(transformErrors: errors ?? true)
        case .image: transformer = ImageTransformer(transformErrors: errors ?? false)
        }
        try options.finish()
        call.lua.push(object: ScriptTransformerBox(transformer), class: transformerClass)
        return .one
    }
}
