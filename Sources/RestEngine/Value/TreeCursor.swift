extension Tree {
    /// The tags of the encoding, which CJSON's tree.hpp documents.
    enum Tag: UInt8 {
        case null, no, yes, int8, int32, int64, real, string, array, object, table, classed, number
    }

    /// A position in the bytes of a tree.
    struct Cursor {
        let storage: [UInt8]
        var offset: Int

        /// Starts at the value of a tree, after its class.
        init(_ tree: Tree) {
            storage = tree.storage
            offset = Int(tree.start)
            if tag == .classed { offset += 5 }
        }

        var tag: Tag {
            guard let tag = Tag(rawValue: storage[offset]) else {
                preconditionFailure("Tree: \(storage[offset]) is no tag; the bytes are no tree")
            }
            return tag
        }

        func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
            var number = Number.zero
            for index in (0..<Number.bitWidth / 8).reversed() {
                number = number << 8 | Number(truncatingIfNeeded: storage[offset + index])
            }
            return number
        }

        /// Reads an integer node and moves past it; nil, without moving, for other nodes.
        mutating func integer() -> Int64? {
            switch tag {
            case .int8:
                defer { offset += 2 }
                return Int64(number(at: offset + 1) as Int8)
            case .int32:
                defer { offset += 5 }
                return Int64(number(at: offset + 1) as Int32)
            case .int64:
                defer { offset += 9 }
                return number(at: offset + 1)
            default:
                return nil
            }
        }

        /// Reads a length and its bytes, and moves past them.
        mutating func takeBytes() -> Range<Int> {
            var count = Int(storage[offset])
            offset += 1
            if count == 255 {
                count = Int(number(at: offset) as UInt32)
                offset += 4
            }
            defer { offset += count }
            return offset..<offset + count
        }

        /// Moves past a node and returns it.
        mutating func takeNode() -> Tree {
            let start = offset
            skip()
            return Tree(storage: storage, start: UInt32(start), end: UInt32(offset))
        }

        private mutating func skip() {
            switch tag {
            case .null, .no, .yes: offset += 1
            case .int8: offset += 2
            case .int32: offset += 5
            case .int64, .real: offset += 9
            case .string, .number:
                offset += 1
                _ = takeBytes()
            case .array, .object, .table: offset += 5 + Int(number(at: offset + 1) as UInt32)
            case .classed:
                offset += 5
                skip()
            }
        }
    }
}
