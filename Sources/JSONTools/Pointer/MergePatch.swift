package import RestEngine

/// JSON merge patches (RFC 7396).
package enum MergePatch {
    /// The patched value: members of objects are merged, null removes a member, and other values replace.
    package static func apply(_ patch: Tree, to target: Tree?) -> Tree {
        guard patch.kind == .object else { return patch }
        var changes: [Name: Tree] = [:]
        for (key, value) in patch.pairs { changes[Name(key)] = value }
        var builder = Tree.Builder()
        builder.object { builder in
            var known: Set<Name> = []
            for (key, value) in (target ?? .null).pairs {
                known.insert(Name(key))
                guard let change = changes[Name(key)] else {
                    builder.key(key)
                    builder.tree(value)
                    continue
                }
                if change.isNull { continue }
                builder.key(key)
                builder.tree(apply(change, to: value))
            }
            for (key, value) in patch.pairs where !value.isNull && !known.contains(Name(key)) {
                builder.key(key)
                builder.tree(apply(value, to: nil))
            }
        }
        return builder.finish()
    }
}
