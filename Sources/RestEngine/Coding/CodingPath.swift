/// Where a decoder or encoder is in a tree. A list that shares its beginnings: most are never looked at.
struct CodingPath: Sendable {
    private final class Node: Sendable {
        let key: any CodingKey
        let parent: Node?

        init(_ key: any CodingKey, _ parent: Node?) {
            self.key = key
            self.parent = parent
        }
    }

    private var last: Node?
    /// How many containers enclose the place.
    private(set) var depth = 0

    func appending(_ key: any CodingKey) -> CodingPath {
        var path = self
        path.last = Node(key, last)
        path.depth += 1
        return path
    }

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var node = last
        while let current = node {
            keys.append(current.key)
            node = current.parent
        }
        return keys.reversed()
    }
}

/// A key by its text or place alone.
struct TreeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    static let parent = TreeKey(stringValue: "super")
}
