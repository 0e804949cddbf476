internal import RestEngine

extension Tree {
    /// Equality by value. The order of fields doesn't count: that of a Lua table is any.
    func hasSameValue(as other: Tree) -> Bool {
        if self == other { return true }
        switch (kind, other.kind) {
        case (.object, .object):
            let (mine, others) = (Array(pairs), Array(other.pairs))
            guard mine.count == others.count else { return false }
            let known = Dictionary(others.map { ($0.key, $0.value) }) { _, last in last }
            return mine.allSatisfy { pair in
                known[pair.key].map { pair.value.hasSameValue(as: $0) } ?? false
            }
        case (.array, .array):
            let (mine, others) = (Array(elements), Array(other.elements))
            return mine.count == others.count
                && zip(mine, others).allSatisfy { $0.0.hasSameValue(as: $0.1) }
        case (.integer, .double), (.double, .integer): return double == other.double
        default: return false
        }
    }
}
