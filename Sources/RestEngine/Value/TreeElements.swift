extension Tree {
    /// The elements of an array in order; empty for other kinds.
    public var elements: Elements {
        var cursor = Cursor(self)
        let count = cursor.tag == .array ? count : 0
        cursor.offset += 9
        return Elements(cursor: cursor, remaining: count)
    }

    /// The keys and values of an object in order, including repeated keys, which only a `Builder` writes;
    /// empty for other kinds. A key that is not UTF-8, which only Lua makes, is repaired.
    public var pairs: Pairs {
        var cursor = Cursor(self)
        let count = cursor.tag == .object ? count : 0
        cursor.offset += 9
        return Pairs(cursor: cursor, remaining: count)
    }

    /// The keys and values of a general table; empty for other kinds.
    package var entries: [(key: Tree, value: Tree)] {
        var cursor = Cursor(self)
        guard cursor.tag == .table else { return [] }
        let count = count
        cursor.offset += 14
        return (0..<count).map { _ in (cursor.takeNode(), cursor.takeNode()) }
    }

    /// The value of a key; the last one of a repeated key.
    public subscript(key: String) -> Tree? {
        var key = key
        var found: Tree?
        key.withUTF8 { key in
            var pairs = pairs
            while let (range, value) = pairs.nextRange() {
                if range.count == key.count, storage[range].elementsEqual(key) { found = value }
            }
        }
        return found
    }

    /// An element, from 0 on; nil outside the array and for other kinds.
    public subscript(index: Int) -> Tree? {
        guard index >= 0 else { return nil }
        return elements.dropFirst(index).first { _ in true }
    }

    /// The elements of an array, as trees that share its bytes.
    public struct Elements: Sequence, IteratorProtocol {
        var cursor: Cursor
        var remaining: Int

        public mutating func next() -> Tree? {
            guard remaining > 0 else { return nil }
            remaining -= 1
            return cursor.takeNode()
        }

        public var underestimatedCount: Int { remaining }
    }

    /// Keys and values of an object, as trees that share its bytes.
    public struct Pairs: Sequence, IteratorProtocol {
        var cursor: Cursor
        var remaining: Int

        public mutating func next() -> (key: String, value: Tree)? {
            nextRange().map { (String(decoding: cursor.storage[$0], as: UTF8.self), $1) }
        }

        public var underestimatedCount: Int { remaining }

        mutating func nextRange() -> (Range<Int>, Tree)? {
            guard remaining > 0 else { return nil }
            remaining -= 1
            let key = cursor.takeBytes()
            return (key, cursor.takeNode())
        }
    }
}
