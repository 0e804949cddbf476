import RestEngine

/// Lists of items, each an object with an `id`, and how documents change.
extension Tree {
    var isObject: Bool { kind == .object }

    /// The elements of an array; nil for all else.
    var list: [Tree]? { kind == .array ? Array(elements) : nil }

    /// An item's name in a path: its `id`, a text or a number.
    var id: String? {
        guard let id = self["id"] else { return nil }
        switch id.kind {
        case .string: return id.string
        case .integer, .double: return id.description
        default: return nil
        }
    }

    /// The same object with this id: in its old place, or else first. A number stays a number.
    func identified(by id: String) -> Tree {
        guard isObject, self.id != id else { return self }
        let number = Int64(id) ?? 0
        return setting("id", to: String(number) == id ? Tree(number) : Tree(id))
    }

    /// The same object with this member in its old place, or else first.
    func setting(_ name: String, to value: Tree) -> Tree {
        let member = (name, value)
        var isNew = true
        let members = pairs.map { pair in
            guard pair.key.utf8.elementsEqual(name.utf8) else { return (pair.key, pair.value) }
            isNew = false
            return member
        }
        return Tree(pairs: isNew ? [member] + members : members)
    }

    /// RFC 7396 section 2.
    func merged(with patch: Tree) -> Tree {
        var builder = Builder()
        Self.merge(patch, into: self, &builder)
        return builder.finish()
    }

    /// Texts that a file and this program made have a form in JSON, and their numbers too.
    var jsonBytes: [UInt8] {
        do { return try json() } catch { preconditionFailure("Tree: \(error)") }
    }

    private static func merge(_ patch: Tree, into target: Tree, _ builder: inout Builder) {
        guard patch.isObject else { return builder.tree(patch) }
        let changes = patch.members
        let members = target.members
        var seen: Set<[UInt8]> = []
        builder.object { builder in
            for (name, _) in Array(target.pairs) + patch.pairs {
                let bytes = Array(name.utf8)
                guard seen.insert(bytes).inserted else { continue }
                guard let change = changes[bytes] else {
                    builder.key(name)
                    builder.tree(members[bytes] ?? .null)
                    continue
                }
                guard !change.isNull else { continue }
                builder.key(name)
                merge(change, into: members[bytes] ?? .null, &builder)
            }
        }
    }

    /// By the bytes of their names, since texts of other bytes can be equal as strings; of repeated names the
    /// last counts.
    private var members: [[UInt8]: Tree] {
        Dictionary(pairs.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }
}
