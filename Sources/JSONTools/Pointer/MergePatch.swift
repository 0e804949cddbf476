package import RestEngine

/// JSON merge patches (RFC 7396).
package enum MergePatch {
    /// The patched value: members of objects are merged, null removes a member, and other values replace.
    ///
    /// - Parameter poll: Is called now and then, and ends the work by an error.
    package static func apply<Failure: Error>(
        _ patch: Tree, to target: Tree?, poll: () throws(Failure) -> Void
    ) throws(Failure) -> Tree {
        guard patch.kind == .object else { return patch }
        var changes: [Name: Tree] = [:]
        for (key, value) in patch.pairs { changes[Name(key)] = value }
        var builder = Tree.Builder()
        try builder.object { (builder) throws(Failure) in
            try poll()
            var known: Set<Name> = []
            for (index, (key, value)) in (target ?? .null).pairs.enumerated() {
                if index % 256 == 255 { try poll() }
                known.insert(Name(key))
                guard let change = changes[Name(key)] else {
                    builder.key(key)
                    builder.tree(value)
                    continue
                }
                if change.isNull { continue }
                builder.key(key)
                builder.tree(try apply(change, to: value, poll: poll))
            }
            for (key, value) in patch.pairs where !value.isNull && !known.contains(Name(key)) {
                builder.key(key)
                builder.tree(try apply(value, to: nil, poll: poll))
            }
        }
        return builder.finish()
    }
}
