import RestEngine

extension SchemaRun {
    mutating func scalarHolds(
        _ check: SchemaKeyword, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool
    ) throws -> Bool {
        switch check {
        case .types(let types):
            let type = SchemaTypes(of: value)
            return !type.isEmpty && types.isSuperset(of: type)
                || mismatch(
                    node, "/type", isQuiet,
                    "is of type \(SchemaTypes.name(of: value)), not \(types.description)")
        case .constant(let form, let text):
            return try value.canonicalForm(poll: work.poll) == form
                || mismatch(node, "/const", isQuiet, "isn't \(text)")
        case .enumeration(let forms, let text):
            return forms.contains(try value.canonicalForm(poll: work.poll))
                || mismatch(node, "/enum", isQuiet, "is none of \(text)")
        case .bound(let bound):
            guard value.kind == .integer || value.kind == .double else { return true }
            return bound.allows(value)
                || mismatch(
                    node, "/" + bound.keyword, isQuiet,
                    "is \(value.description.shortened), and must be \(bound.sentence)")
        case .multipleOf(let divisor, let text):
            guard value.kind == .integer || value.kind == .double else { return true }
            return ExactNumber(value).map(divisor.divides) ?? false
                || mismatch(
                    node, "/multipleOf", isQuiet, "is \(value.description.shortened), no multiple of \(text)")
        default:
            guard value.kind == .string else { return true }
            return try textHolds(check, node, value, isQuiet)
        }
    }

    private mutating func textHolds(
        _ check: SchemaKeyword, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool
    ) throws -> Bool {
        guard let text = value.string else {
            return mismatch(node, "", isQuiet, "has bytes that aren't UTF-8")
        }
        switch check {
        case .length(let least, let limit):
            let count = text.unicodeScalars.count
            return (least ? count >= limit : count <= limit)
                || mismatch(
                    node, least ? "/minLength" : "/maxLength", isQuiet,
                    "has \(Self.count(count, "character")), and must have \(least ? "at least" : "at most") \(limit)"
                )
        case .pattern(let pattern):
            return try matches(pattern, text, node)
                || mismatch(
                    node, "/pattern", isQuiet, "doesn't match the pattern '\(pattern.text.shortened)'")
        case .format(let format):
            return format.accepts(text)
                || mismatch(node, "/format", isQuiet, "has not the form of \(format.rawValue)")
        default: return true
        }
    }

    /// Whether a regular expression matches; throws if that takes too much work.
    func matches(_ pattern: SchemaPattern, _ text: String, _ node: JSONSchema.Node) throws -> Bool {
        try work.poll()
        do { return try pattern.matches(text) } catch {
            throw JSONToolsError(
                "the pattern '\(pattern.text.shortened)' at '\(node.place)' takes too much work, or its text is "
                    + "longer than 8 KiB")
        }
    }

    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
