extension SecretMask {
    /// A body in which the values of fields that are named like secrets are hidden, in JSON and forms; in any
    /// body those that are known otherwise.
    func body(_ bytes: [UInt8], _ contentType: String?) -> [UInt8] {
        guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
        let essence = contentType.map { MediaType($0).essence } ?? ""
        if essence == "application/x-www-form-urlencoded" {
            return Array(url("?" + text).utf8.dropFirst())
        }
        if essence == "application/json" || essence.hasSuffix("+json"), let tree = try? Tree(json: bytes),
            let hidden = hiding(tree), let json = try? hidden.json()
        {
            return Array(self.text(String(decoding: json, as: UTF8.self)).utf8)
        }
        return Array(self.text(text).utf8)
    }

    /// Nil when it has nothing to hide.
    private func hiding(_ tree: Tree) -> Tree? {
        switch tree.kind {
        case .object:
            var hasSecret = false
            let pairs = tree.pairs.map { name, value -> (String, Tree) in
                if hides(name), [Tree.Kind.string, .integer, .double].contains(value.kind) {
                    hasSecret = true
                    return (name, Tree(Self.text))
                }
                guard let hidden = hiding(value) else { return (name, value) }
                hasSecret = true
                return (name, hidden)
            }
            return hasSecret ? Tree(pairs: pairs) : nil
        case .array:
            let hidden = tree.elements.map { (value: $0, hidden: hiding($0)) }
            guard hidden.contains(where: { $0.hidden != nil }) else { return nil }
            return Tree(hidden.map { $0.hidden ?? $0.value })
        default: return nil
        }
    }
}
