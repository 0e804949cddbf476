/// Types of signatures in the language of LuaLS annotations.
struct TypeText {
    /// Names of the classes that there are.
    let classes: Set<String>
    /// The function whose signature it is, such as `service:configure`.
    let owner: String

    /// Options by the name of their class, which the caller declares.
    private(set) var tables: [(name: String, fields: [Signature.Parameter])] = []

    init(classes: Set<String>, owner: String) {
        self.classes = classes
        self.owner = owner
    }

    mutating func text(_ parameter: Signature.Parameter) -> String {
        if let known = TypeVocabulary.options["\(owner).\(parameter.name)"] { return known }
        if let type = parameter.type {
            if case .table(let fields) = type, parameter.name == "options" { return options(fields) }
            return text(type)
        }
        return named(parameter.name)
    }

    /// One result; the last ones of `A | nil, error` may be missing.
    mutating func text(_ type: Signature.ValueType) -> String {
        switch type {
        case .named(let name): return named(name)
        case .many(let name): return "\(named(name)) ..."
        case .optional(let type): return bracketed(type) + "?"
        case .list(let type): return bracketed(type) + "[]"
        case .union(let types):
            // What is any number of values is none of LuaLS' alternatives.
            if case .many? = types.first { return "any" }
            return types.map { bracketed($0) }.joined(separator: "|")
        case .table(let fields):
            return "{ "
                + fields.map { "\($0.name)\($0.isOptional ? "?" : ""): \(text($0))" }.joined(separator: ", ")
                + " }"
        case .function(let parameters, let returns):
            let names = parameters.map { "\($0.name)\($0.isOptional ? "?" : ""): \(text($0))" }
            let results = returns.map { text($0) }.joined(separator: ", ")
            return "fun(\(names.joined(separator: ", ")))" + (results.isEmpty ? "" : ": \(results)")
        }
    }

    private mutating func bracketed(_ type: Signature.ValueType) -> String {
        switch type {
        case .union, .function: "(\(text(type)))"
        default: text(type)
        }
    }

    /// Without a class of that name, it is what the vocabulary says, else anything.
    private func named(_ name: String) -> String {
        if name == "..." { return "any" }
        if TypeVocabulary.plain.contains(name) { return name }
        if let known = TypeVocabulary.names[name] { return known }
        return classes.contains(name) ? "resthost.\(name)" : "any"
    }

    private mutating func options(_ fields: [Signature.Parameter]) -> String {
        let dotted = owner.replacing(":", with: ".").replacing(/^rest\./, with: "")
        let name = "resthost.\(dotted).options"
        tables.append((name, fields))
        return name
    }
}
