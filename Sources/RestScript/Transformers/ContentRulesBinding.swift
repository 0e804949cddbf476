import LuaRuntime
import RestEngine

/// The options that `rest.content_transformer`, `configure_transformer` and the tables of modules have in common.
extension ScriptValues {
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
        rules.empty = try options.boolean("empty") ?? false
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

    /// The first of the rules that is given: a transformer that has its own takes none.
    func givenRule(_ options: OptionTable) -> String? {
        ["input", "output", "on_mismatch", "transform_errors", "empty"].first { options.reference($0) != nil }
    }
}
