/// Writes types of signatures as LuaLS annotations.
struct TypeText {
    /// The names of all classes.
    let classes: Set<String>
    /// The function whose signature it is, such as `service:configure`.
    let owner: String
    /// The name of the class for `{ ... }`.
    let table: String

    /// Tables of options by the name of their class, which the caller declares.
    private(set) var tables: [(name: String, fields: [Signature.Parameter])] = []

    /// - Parameter table: The class for `{ ... }`; nil means the options of the owner.
    init(classes: Set<String>, owner: String, table: String? = nil) {
        self.classes = classes
        self.owner = owner
        self.table = table ?? Self.options(of: owner)
    }

    /// The name of the class for a function's options.
    static func options(of owner: String) -> String {
        "resthost.\(owner.replacing(":", with: ".").replacing(/^rest\./, with: "")).options"
    }

    mutating func text(_ parameter: Signature.Parameter) -> String {
        if let known = TypeVocabulary.options["\(owner).\(parameter.name)"] { return known }
        if let type = parameter.type {
            guard case .table(let fields) = type, parameter.name == "options", !type.isDescribedElsewhere
            else { return text(type) }
            tables.append((table, fields))
            return table
        }
        return named(parameter.name)
    }

    /// One result. The last types of `A | nil, error` may be missing.
    mutating func text(_ type: Signature.ValueType) -> String {
        switch type {
        case .named(let name): return named(name)
        case .word(let word): return "\"\(word)\""
        case .map(let key, let value): return "table<\(text(key)), \(text(value))>"
        case .table where type.isDescribedElsewhere: return table
        case .many(let name): return "\(named(name)) ..."
        case .optional(let type): return bracketed(type) + "?"
        case .list(let type): return bracketed(type) + "[]"
        case .union(let types):
            // LuaLS has no alternative for any number of values.
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

    /// A class of this name, or else the type in the vocabulary, or else `any`.
    private func named(_ name: String) -> String {
        if name == "..." { return "any" }
        if TypeVocabulary.plain.contains(name) { return name }
        if let known = TypeVocabulary.names[name] { return known }
        return classes.contains(name) ? "resthost.\(name)" : "any"
    }
}

extension Signature.ValueType {
    /// True for `{ ... }`.
    fileprivate var isDescribedElsewhere: Bool { self == .table([Signature.Parameter(name: "...")]) }
}
