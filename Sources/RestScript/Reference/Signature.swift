/// A parsed signature of the binding tables, such as
/// `(path: string, options?: { ttl: number }) -> value | nil, error`.
struct Signature: Equatable {
    struct Parameter: Equatable {
        /// The name; `...` means any number of further parameters.
        let name: String
        var isOptional = false
        /// The type; nil when the name says what the parameter is.
        var type: ValueType?
    }

    indirect enum ValueType: Equatable {
        case named(String)
        /// A word in quotation marks, which stands for itself.
        case word(String)
        case optional(ValueType)
        case list(ValueType)
        case union([ValueType])
        case function([Parameter], returns: [ValueType])
        /// A table with these fields. `{ ... }` has one parameter of that name, and its fields are described
        /// elsewhere.
        case table([Parameter])
        /// `table<string, any>`: values by key.
        case map(ValueType, ValueType)
        /// Any number of values of this type.
        case many(String)
    }

    var parameters: [Parameter] = []
    var returns: [ValueType] = []

    /// Nil for text with another grammar.
    init?(_ text: String) {
        var reader = SignatureReader(text)
        guard let parameters = reader.parameters() else { return nil }
        self.parameters = parameters
        if reader.take("->") {
            guard let returns = reader.types() else { return nil }
            self.returns = returns
        }
        guard reader.isAtEnd else { return nil }
    }

    /// The type of a property.
    static func type(_ text: String) -> ValueType? {
        var reader = SignatureReader(text)
        guard let type = reader.union(), reader.isAtEnd else { return nil }
        return type
    }
}

private struct SignatureReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

    mutating func take(_ text: String) -> Bool {
        rest = rest.drop { $0 == " " }
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func name() -> String? {
        rest = rest.drop { $0 == " " }
        let name = rest.prefix {
            $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." && !rest.hasPrefix(".")
        }
        // The dots behind a name are not part of it: `captures...`.
        let bare = name.prefix { $0 != "." }
        guard !bare.isEmpty else { return nil }
        rest = rest.dropFirst(bare.count)
        return String(bare)
    }

    mutating func parameters() -> [Signature.Parameter]? {
        guard take("(") else { return nil }
        return list(until: ")", separators: [","])
    }

    private mutating func list(until end: String, separators: [String]) -> [Signature.Parameter]? {
        var made: [Signature.Parameter] = []
        var isAlternative = false
        if take(end) { return made }
        while let parameter = parameter() {
            made.append(parameter)
            made[made.count - 1].isOptional = parameter.isOptional || isAlternative
            if take(end) { return made }
            // `{ body | text }` means that one of the fields is given.
            isAlternative = separators.contains("|") && take("|")
            if isAlternative { made[made.count - 1].isOptional = true }
            guard isAlternative || take(",") else { return nil }
        }
        return nil
    }

    private mutating func parameter() -> Signature.Parameter? {
        if take("...") { return Signature.Parameter(name: "...") }
        guard let name = name() else { return nil }
        var parameter = Signature.Parameter(name: name, isOptional: take("?"))
        guard take(":") else { return parameter }
        guard let type = union() else { return nil }
        if case .optional(let inner) = type {
            parameter.isOptional = true
            parameter.type = inner
        } else {
            parameter.type = type
        }
        return parameter
    }

    /// The types of results, separated by commas.
    mutating func types() -> [Signature.ValueType]? {
        var made: [Signature.ValueType] = []
        repeat {
            guard let type = union() else { return nil }
            made.append(type)
        } while take(",")
        return made
    }

    mutating func union() -> Signature.ValueType? {
        var made: [Signature.ValueType] = []
        repeat {
            guard let type = postfix() else { return nil }
            made.append(type)
        } while take("|")
        return made.count == 1 ? made[0] : .union(made)
    }

    private mutating func postfix() -> Signature.ValueType? {
        guard var type = primary() else { return nil }
        while true {
            if take("[]") {
                type = .list(type)
            } else if take("?") {
                type = .optional(type)
            } else {
                return type
            }
        }
    }

    private mutating func primary() -> Signature.ValueType? {
        if take("...") { return .many("any") }
        if take("{") { return list(until: "}", separators: [",", "|"]).map { .table($0) } }
        if take("(") {
            guard let type = union(), take(")") else { return nil }
            return type
        }
        if take("\"") {
            let word = rest.prefix { $0 != "\"" }
            rest = rest.dropFirst(word.count)
            return take("\"") ? .word(String(word)) : nil
        }
        guard let name = name() else { return nil }
        if take("...") { return .many(name) }
        if name == "table", take("<") {
            guard let key = union(), take(","), let value = union(), take(">") else { return nil }
            return .map(key, value)
        }
        guard name == "function", rest.hasPrefix("(") else { return .named(name) }
        guard let parameters = parameters() else { return nil }
        guard take("->") else { return .function(parameters, returns: []) }
        // Several results are in brackets, because a comma may belong to the surrounding list.
        if take("(") {
            guard let returns = types(), take(")") else { return nil }
            return .function(parameters, returns: returns)
        }
        return union().map { .function(parameters, returns: [$0]) }
    }
}
