import RestEngine

extension BinaryBuilder {
    /// Reads a value (the format's specification, as of 2017 with timestamps).
    mutating func readMessagePack(depth: Int) throws(FormatError) {
        let first = try first(depth: depth)
        switch first {
        case 0x00...0x7F: tree.int(Int64(first))
        case 0x80...0x8F: try map(UInt32(first & 0x0F), depth)
        case 0x90...0x9F: try array(UInt32(first & 0x0F), depth)
        case 0xC0: tree.null()
        case 0xC2, 0xC3: tree.bool(first == 0xC3)
        case 0xC7...0xC9, 0xD4...0xD8: try time(first)
        case 0xDC: try array(UInt32(try number() as UInt16), depth)
        case 0xDD: try array(try number(), depth)
        case 0xDE: try map(UInt32(try number() as UInt16), depth)
        case 0xDF: try map(try number(), depth)
        case 0xCF: write(try number() as UInt64)
        case 0xCA, 0xCB: tree.double(try double(first))
        case 0xC1: throw faultOfValue("the byte 0xC1 begins no value")
        default:
            if let int = try integer(first) { return tree.int(int) }
            tree.string(utf8: try string(first))
        }
    }

    /// Nil for other values; those beyond 64 bits are none.
    private mutating func integer(_ first: UInt8) throws(FormatError) -> Int64? {
        switch first {
        case 0x00...0x7F, 0xE0...0xFF: Int64(Int8(bitPattern: first))
        case 0xCC: Int64(try number() as UInt8)
        case 0xCD: Int64(try number() as UInt16)
        case 0xCE: Int64(try number() as UInt32)
        case 0xD0: Int64(try number() as Int8)
        case 0xD1: Int64(try number() as Int16)
        case 0xD2: Int64(try number() as Int32)
        case 0xD3: try number()
        default: nil
        }
    }

    private mutating func double(_ first: UInt8) throws(FormatError) -> Double {
        first == 0xCA ? Double(Float(bitPattern: try number())) : Double(bitPattern: try number())
    }

    /// Texts and bytes are both strings of Lua.
    private mutating func string(_ first: UInt8) throws(FormatError) -> ArraySlice<UInt8> {
        switch first {
        case 0xA0...0xBF: return try take(UInt64(first & 0x1F))
        case 0xC4, 0xD9: return try take(UInt64(try number() as UInt8))
        case 0xC5, 0xDA: return try take(UInt64(try number() as UInt16))
        case 0xC6, 0xDB: return try take(UInt64(try number() as UInt32))
        default: throw faultOfValue("a key is a text, a number or a boolean")
        }
    }

    private mutating func array(_ count: UInt32, _ depth: Int) throws(FormatError) {
        tree.beginArray()
        for _ in 0..<count { try readMessagePack(depth: depth + 1) }
        tree.end()
    }

    private mutating func map(_ count: UInt32, _ depth: Int) throws(FormatError) {
        tree.beginObject()
        var known: Set<Key> = []
        for _ in 0..<count {
            let first = try first(depth: depth + 1)
            try write(key: try key(first), of: &known)
            try readMessagePack(depth: depth + 1)
        }
        tree.end()
    }

    private mutating func key(_ first: UInt8) throws(FormatError) -> Key {
        switch first {
        case 0xC2, 0xC3: return .bool(first == 0xC3)
        case 0xCA, 0xCB: return try key(try double(first))
        case 0xCF:
            let unsigned: UInt64 = try number()
            guard let int = Int64(exactly: unsigned) else { throw faultOfValue("a key is beyond 64 bits") }
            return .int(int)
        default:
            if let int = try integer(first) { return .int(int) }
            return .text(Array(try string(first)))
        }
    }

    /// The only extension that the specification defines: a time, as seconds since 1970.
    private mutating func time(_ first: UInt8) throws(FormatError) {
        let count: UInt32 =
            switch first {
            case 0xC7: UInt32(try number() as UInt8)
            case 0xC8: UInt32(try number() as UInt16)
            case 0xC9: try number()
            default: 1 << UInt32(first - 0xD4)
            }
        let type: Int8 = try number()
        var (seconds, nanoseconds): (Int64, UInt32) = (0, 0)
        switch (type, count) {
        case (-1, 4): seconds = Int64(try number() as UInt32)
        case (-1, 8):
            let both: UInt64 = try number()
            (seconds, nanoseconds) = (Int64(both & 0x3_FFFF_FFFF), UInt32(both >> 34))
        case (-1, 12): (nanoseconds, seconds) = (try number(), try number())
        case (-1, _): throw faultOfValue("a time has 4, 8 or 12 bytes, not \(count)")
        default: throw faultOfValue("the extension type \(type) is unknown")
        }
        guard nanoseconds < 1_000_000_000 else {
            throw faultOfValue("a time has more than a second's nanoseconds")
        }
        if nanoseconds == 0 {
            tree.int(seconds)
        } else {
            tree.double(Double(seconds) + Double(nanoseconds) / 1e9)
        }
    }
}
