import RestEngine

/// JSON text with the keys of objects in order: a Lua table has none.
enum CanonicalJSON {
    /// Nil for text that is no object or array.
    static func text(_ json: some StringProtocol) -> String? {
        guard let tree = try? Tree(json: String(json)), tree.kind == .object || tree.kind == .array else {
            return nil
        }
        return text(tree)
    }

    private static func text(_ tree: Tree) -> String {
        switch tree.kind {
        case .object:
            let pairs = tree.pairs.map { (key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
            return "{" + pairs.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ") + "}"
        case .array: return "[" + tree.elements.map(text).joined(separator: ", ") + "]"
        default: return tree.description
        }
    }
}
