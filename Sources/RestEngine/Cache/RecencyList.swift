/// A dictionary that knows which of its keys was used least recently.
struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        var newer: Int?
        var older: Int?
    }

    private var places: [Key: Int] = [:]
    /// Linked by index; free ones are nil.
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newestIndex: Int?
    private var oldestIndex: Int?

    var count: Int { places.count }

    var oldest: Key? { oldestIndex.flatMap { nodes[$0]?.key } }

    /// The value, which is now the one most recently used.
    mutating func use(_ key: Key) -> Value? {
        guard let value = remove(key) else { return nil }
        insert(value, at: key)
        return value
    }

    mutating func insert(_ value: Value, at key: Key) {
        remove(key)
        let node = Node(key: key, value: value, newer: nil, older: newestIndex)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            nodes[index] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        if let newestIndex { nodes[newestIndex]?.newer = index }
        newestIndex = index
        oldestIndex = oldestIndex ?? index
        places[key] = index
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let index = places.removeValue(forKey: key), let node = nodes[index] else { return nil }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newestIndex = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldestIndex = node.newer }
        nodes[index] = nil
        free.append(index)
        return node.value
    }
}
