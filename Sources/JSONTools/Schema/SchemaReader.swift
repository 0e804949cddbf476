import Platform
import RestEngine

/// Reads the keywords of one schema.
struct SchemaReader {
    let tree: Tree
    let place: SchemaPlace
    let resource: Int
    /// Whether the vocabulary of validation applies.
    let validates: Bool
    let assertsFormats: Bool
    var checks: [SchemaKeyword] = []

    mutating func checks(_ compiler: inout SchemaCompiler) throws -> [SchemaKeyword] {
        if validates {
            try readTypes(compiler)
            try readNumbers(compiler)
            try readCounts(compiler)
            try readNames(compiler)
            try readPattern(&compiler)
        }
        if assertsFormats, let format = try text("format", compiler).flatMap(SchemaFormat.init(rawValue:)) {
            checks.append(.format(format))
        }
        try readReferences(&compiler)
        try readCombinations(&compiler)
        try readItems(&compiler)
        try readMembers(&compiler)
        if let id = try schema("unevaluatedItems", &compiler) { checks.append(.unevaluatedItems(id)) }
        if let id = try schema("unevaluatedProperties", &compiler) {
            checks.append(.unevaluatedProperties(id))
        }
        return checks
    }

    // MARK: Values of keywords

    func fault(_ keyword: String, _ message: String, _ compiler: SchemaCompiler) -> JSONToolsError {
        compiler.registry.fault(place, keyword, message)
    }

    func text(_ keyword: String, _ compiler: SchemaCompiler) throws -> String? {
        guard let value = tree[keyword] else { return nil }
        guard let text = value.string else { throw fault(keyword, "is no text", compiler) }
        return text
    }

    /// A list; an empty Lua table is one, too.
    func list(_ keyword: String, _ compiler: SchemaCompiler) throws -> Tree? {
        guard let value = tree[keyword] else { return nil }
        guard value.kind == .array || value.kind == .object && value.count == 0 else {
            throw fault(keyword, "is no list", compiler)
        }
        return value
    }

    func object(_ keyword: String, _ compiler: SchemaCompiler) throws -> Tree? {
        guard let value = tree[keyword] else { return nil }
        guard value.kind == .object || value.kind == .array && value.count == 0 else {
            throw fault(keyword, "is no object", compiler)
        }
        return value
    }

    private func number(
        _ keyword: String, _ compiler: SchemaCompiler
    ) throws -> (number: ExactNumber, tree: Tree)? {
        guard let value = tree[keyword] else { return nil }
        guard let number = ExactNumber(value) else {
            let advice = value.kind == .boolean ? ": write the number itself, as in 2020-12" : ""
            throw fault(keyword, "is no number\(advice)", compiler)
        }
        return (number, value)
    }

    func count(_ keyword: String, _ compiler: SchemaCompiler) throws -> Int? {
        guard let (number, _) = try number(keyword, compiler) else { return nil }
        guard !number.isNegative, number.isInteger else {
            throw fault(keyword, "is no whole number from 0 on", compiler)
        }
        return number.int ?? .max
    }

    func texts(_ value: Tree, _ keyword: String, _ compiler: SchemaCompiler) throws
        -> [String]
    {
        var texts: [String] = []
        for element in value.elements {
            guard let text = element.string else { throw fault(keyword, "is no list of texts", compiler) }
            texts.append(text)
        }
        return texts
    }

    func schema(
        _ keyword: String, _ compiler: inout SchemaCompiler
    ) throws -> SchemaID? {
        tree[keyword] == nil ? nil : try compiler.id(of: place.appending(keyword))
    }

    // MARK: Keywords of validation

    private mutating func readTypes(_ compiler: SchemaCompiler) throws {
        if let type = tree["type"] {
            var names: [String] = []
            if let name = type.string {
                names = [name]
            } else if let list = try list("type", compiler) {
                names = try texts(list, "type", compiler)
            }
            var types: SchemaTypes = []
            for name in names {
                guard let known = SchemaTypes.byName.first(where: { $0.name.isIdentical(to: name) }) else {
                    let advice = NearestName.advice(name, among: SchemaTypes.byName.map(\.name))
                    throw fault("type", "is the unknown type '\(name.shortened)'\(advice)", compiler)
                }
                types.formUnion(known.type)
            }
            checks.append(.types(types))
        }
        if let constant = tree["const"] {
            checks.append(.constant(constant.canonicalForm, text: constant.description.shortened))
        }
        if let list = try list("enum", compiler) {
            let text = list.elements.map(\.description).joined(separator: ", ")
            checks.append(.enumeration(Set(list.elements.map(\.canonicalForm)), text: text.shortened))
        }
    }

    private mutating func readNumbers(_ compiler: SchemaCompiler) throws {
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            guard let (number, tree) = try number(keyword, compiler) else { continue }
            checks.append(
                .bound(SchemaBound(keyword: keyword, number: number, int: tree.int, text: tree.description)))
        }
        guard let (number, tree) = try number("multipleOf", compiler) else { return }
        guard let divisor = Divisor(number) else {
            throw fault("multipleOf", "is not above zero, or has more than 38 digits", compiler)
        }
        checks.append(.multipleOf(divisor, text: tree.description))
    }

    private mutating func readCounts(_ compiler: SchemaCompiler) throws {
        if let count = try count("minLength", compiler) { checks.append(.length(least: true, count)) }
        if let count = try count("maxLength", compiler) { checks.append(.length(least: false, count)) }
        if let count = try count("minItems", compiler) { checks.append(.itemCount(least: true, count)) }
        if let count = try count("maxItems", compiler) { checks.append(.itemCount(least: false, count)) }
        if let count = try count("minProperties", compiler) {
            checks.append(.memberCount(least: true, count))
        }
        if let count = try count("maxProperties", compiler) {
            checks.append(.memberCount(least: false, count))
        }
        guard let unique = tree["uniqueItems"] else { return }
        guard let unique = unique.bool else {
            throw fault("uniqueItems", "is neither true nor false", compiler)
        }
        if unique { checks.append(.uniqueItems) }
    }

    private mutating func readNames(_ compiler: SchemaCompiler) throws {
        if let required = tree["required"] {
            guard let list = required.bool == nil ? try list("required", compiler) : nil else {
                throw fault("required", "is no list: name the members in the list of their object", compiler)
            }
            checks.append(.required(try texts(list, "required", compiler)))
        }
        guard let dependencies = try object("dependentRequired", compiler) else { return }
        var needs: [(name: String, needs: [String])] = []
        for (name, list) in dependencies.pairs {
            needs.append((name, try texts(list, "dependentRequired", compiler)))
        }
        checks.append(.dependentRequired(needs))
    }

    private mutating func readPattern(_ compiler: inout SchemaCompiler) throws {
        guard let text = try text("pattern", compiler) else { return }
        checks.append(.pattern(try pattern(text, "pattern", &compiler)))
    }

    func pattern(
        _ text: String, _ keyword: String, _ compiler: inout SchemaCompiler
    ) throws -> SchemaPattern {
        let pattern: SchemaPattern
        do { pattern = try SchemaPattern(text) } catch {
            throw fault(keyword, "can't be used: \(error.message)", compiler)
        }
        compiler.patternBytes += pattern.byteCount
        guard compiler.patternBytes <= SchemaCompiler.mostPatternBytes else {
            throw fault(
                keyword, "takes the patterns beyond \(SchemaCompiler.mostPatternBytes >> 20) MiB", compiler)
        }
        return pattern
    }
}
