extension Tree {
    /// Writes a tree in order, for code that makes large ones.
    ///
    ///     var builder = Tree.Builder()
    ///     builder.object { builder in
    ///         builder.key("id")
    ///         builder.int(7)
    ///     }
    ///     let tree = builder.finish()
    package struct Builder {
        private var bytes: [UInt8] = []
        private var open: [Container] = []

        private struct Container {
            /// Also of a general table.
            var isObject: Bool
            var isTable = false
            var size: Int
            var count = 0
            var hasKey = false
        }

        package init() {}

        /// The number of bytes written so far.
        package var byteCount: Int { bytes.count }

        package mutating func null() { value(.null) }

        package mutating func bool(_ bool: Bool) { value(bool ? .yes : .no) }

        package mutating func int(_ int: Int64) {
            if let short = Int8(exactly: int) {
                value(.int8)
                number(short)
            } else if let middle = Int32(exactly: int) {
                value(.int32)
                number(middle)
            } else {
                value(.int64)
                number(int)
            }
        }

        /// Writes a number as its text; see ``Tree/digits``.
        package mutating func digits(_ digits: String) {
            value(.number)
            counted(digits.utf8)
        }

        /// Writes a double; JSON text can't contain one that is not finite.
        package mutating func double(_ double: Double) {
            value(.real)
            number(double.bitPattern)
        }

        package mutating func string(_ string: some StringProtocol) { self.string(utf8: string.utf8) }

        /// Writes a string of any bytes; JSON text can contain only UTF-8.
        package mutating func string(utf8: some Collection<UInt8>) {
            value(.string)
            counted(utf8)
        }

        /// Writes an existing value.
        package mutating func tree(_ tree: Tree) {
            before()
            tree.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }

        /// Writes a finished value of this tree again. ``byteCount`` before and after it gave its bytes.
        package mutating func again(_ value: Range<Int>) {
            before()
            bytes.append(contentsOf: Array(bytes[value]))
        }

        /// Begins an array. Its elements follow, then ``end()``.
        package mutating func beginArray() { begin(.array) }

        /// Begins an object. Its keys and values follow, then ``end()``.
        package mutating func beginObject() { begin(.object) }

        /// Writes an array, whose elements the body writes.
        package mutating func array<Failure: Error>(
            _ elements: (inout Builder) throws(Failure) -> Void
        ) throws(Failure) {
            begin(.array)
            try elements(&self)
            end()
        }

        /// Writes an object; the body writes keys and values alternately.
        package mutating func object<Failure: Error>(
            _ pairs: (inout Builder) throws(Failure) -> Void
        ) throws(Failure) {
            begin(.object)
            try pairs(&self)
            end()
        }

        /// Writes the key of the value that comes next.
        package mutating func key(_ key: some StringProtocol) {
            precondition(
                open.last.map { $0.isObject && !$0.isTable && !$0.hasKey } ?? false,
                "Tree.Builder: a key goes into an object, before its value")
            open[open.count - 1].hasKey = true
            counted(key.utf8)
        }

        /// The tree, which must be one complete value.
        package consuming func finish() -> Tree {
            precondition(open.isEmpty, "Tree.Builder: finished inside of a container")
            return Tree(encoded: bytes)
        }

        private mutating func begin(_ tag: Tag) {
            value(tag)
            open.append(Container(isObject: tag == .object, size: bytes.count))
            number(UInt64.zero)
        }

        /// Turns the object that was begun last into a general table, whose keys ``key(node:)`` writes.
        package mutating func turnIntoTable() {
            guard let container = open.last, !container.isTable else { return }
            precondition(
                container.isObject && !container.hasKey,
                "Tree.Builder: an object becomes a table, before a key")
            let start = container.size - 1
            var cursor = Cursor(Tree(storage: bytes, start: UInt32(start), end: UInt32(bytes.count)))
            cursor.offset += 9
            bytes.removeSubrange(start...)
            bytes.append(Tag.table.rawValue)
            number(UInt64.zero)
            // No mark, and no items of a list.
            bytes += [0, 0, 0, 0, 0]
            for _ in 0..<container.count {
                bytes.append(Tag.string.rawValue)
                counted(cursor.storage[cursor.takeBytes()])
                let value = cursor.takeNode()
                bytes += cursor.storage[Int(value.start)..<Int(value.end)]
            }
            open[open.count - 1].isTable = true
        }

        /// Whether the container that was begun last is a general table.
        package var isInTable: Bool { open.last?.isTable ?? false }

        /// Writes the key of a general table: a string, number or boolean.
        package mutating func key(node: Tree) {
            precondition(
                open.last.map { $0.isTable && !$0.hasKey } ?? false,
                "Tree.Builder: such a key goes into a table, before its value")
            open[open.count - 1].hasKey = true
            node.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }

        /// Ends the array or object that was begun last.
        package mutating func end() {
            let container = open.removeLast()
            precondition(!container.hasKey, "Tree.Builder: a key has no value")
            patch(UInt32(bytes.count - container.size - 4), at: container.size)
            patch(UInt32(container.count), at: container.size + 4)
        }

        private mutating func value(_ tag: Tag) {
            before()
            bytes.append(tag.rawValue)
        }

        private mutating func before() {
            guard let container = open.last else {
                precondition(bytes.isEmpty, "Tree.Builder: a tree is one value")
                return
            }
            precondition(
                container.isObject == container.hasKey, "Tree.Builder: a value in an object needs a key")
            open[open.count - 1].hasKey = false
            open[open.count - 1].count += 1
        }

        private mutating func counted(_ utf8: some Collection<UInt8>) {
            let count = utf8.count
            if count < 255 {
                bytes.append(UInt8(count))
            } else {
                bytes.append(255)
                number(UInt32(count))
            }
            bytes.append(contentsOf: utf8)
        }

        private mutating func number(_ number: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }

        private mutating func patch(_ number: UInt32, at offset: Int) {
            for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        }
    }
}
