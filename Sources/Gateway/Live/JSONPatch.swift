import RestEngine

/// The operations that turn one tree into another (RFC 6902).
struct JSONPatch {
    /// With more operations the patch would be longer than the whole.
    private static let mostOperations = 1000
    /// A larger tree is sent whole, because comparing it would block the loop.
    private static let mostBytes = 4 << 20

    private var operations: [Tree] = []

    /// Nil if the patch would be no shorter, or if a tree can't be written as JSON.
    static func between(_ old: Tree, _ new: Tree) -> [UInt8]? {
        guard old.byteCount + new.byteCount <= mostBytes else { return nil }
        var patch = JSONPatch()
        patch.compare(old, new, "")
        guard patch.operations.count <= mostOperations else { return nil }
        return try? Tree(patch.operations).json()
    }

    private mutating func add(_ operation: String, _ path: String, _ value: Tree? = nil) {
        var pairs: [(String, Tree)] = [("op", Tree(operation)), ("path", Tree(path))]
        if let value { pairs.append(("value", value)) }
        operations.append(Tree(pairs: pairs))
    }

    private mutating func compare(_ old: Tree, _ new: Tree, _ path: String) {
        guard old != new, operations.count <= Self.mostOperations else { return }
        switch (old.kind, new.kind) {
        case (.object, .object): compareObjects(old, new, path)
        case (.array, .array): compareArrays(Array(old.elements), Array(new.elements), path)
        default: add("replace", path, new)
        }
    }

    private mutating func compareObjects(_ old: Tree, _ new: Tree, _ path: String) {
        let before = Dictionary(old.pairs.map { ($0.key, $0.value) }) { $1 }
        var names: Set<String> = []
        for (key, value) in new.pairs {
            names.insert(key)
            let place = path + "/" + Self.escaped(key)
            if let known = before[key] { compare(known, value, place) } else { add("add", place, value) }
        }
        for (key, _) in old.pairs where !names.contains(key) { add("remove", path + "/" + Self.escaped(key)) }
    }

    /// Keeps the common start and end. Elements between them are compared in their order.
    private mutating func compareArrays(_ old: [Tree], _ new: [Tree], _ path: String) {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] {
            end += 1
        }
        let (oldCount, newCount) = (old.count - start - end, new.count - start - end)
        for index in start..<(start + min(oldCount, newCount)) {
            compare(old[index], new[index], "\(path)/\(index)")
        }
        if oldCount > newCount {
            for index in ((start + newCount)..<(start + oldCount)).reversed() {
                add("remove", "\(path)/\(index)")
            }
        } else {
            for index in (start + oldCount)..<(start + newCount) {
                add("add", "\(path)/\(index)", new[index])
            }
        }
    }

    /// Escapes a key (RFC 6901 3).
    private static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return key
        }
        var text = ""
        for character in key.unicodeScalars {
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
