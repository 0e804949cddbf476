import RestEngine

extension BinaryBuilder {
    /// The first byte of a value, and its argument (RFC 8949 3).
    private struct Head {
        let major: UInt8
        let info: UInt8
        /// Nil for an indefinite length, and for the break that ends one.
        let argument: UInt64?
    }

    private static let stop: UInt8 = 0xFF
    private static let mostDigits = 1024

    private mutating func head(depth: Int) throws(FormatError) -> Head {
        let first = try first(depth: depth)
        let (major, info) = (first >> 5, first & 31)
        switch info {
        case 0..<24: return Head(major: major, info: info, argument: UInt64(info))
        case 24: return Head(major: major, info: info, argument: UInt64(try number() as UInt8))
        case 25: return Head(major: major, info: info, argument: UInt64(try number() as UInt16))
        case 26: return Head(major: major, info: info, argument: UInt64(try number() as UInt32))
        case 27: return Head(major: major, info: info, argument: try number())
        case 31 where (2...5).contains(major): return Head(major: major, info: info, argument: nil)
        case 31 where major == 7: throw faultOfValue("a break ends nothing here")
        default: throw faultOfValue("the byte \(first) begins no value")
        }
    }

    /// Reads a value.
    mutating func readCBOR(depth: Int) throws(FormatError) {
        let head = try head(depth: depth)
        switch head.major {
        case 0: write(head.argument ?? 0)
        case 1: negative(head.argument ?? 0)
        case 2, 3: tree.string(utf8: try string(head, depth))
        case 4: try array(head.argument, depth)
        case 5: try map(head.argument, depth)
        case 6: try tagged(head.argument ?? 0, depth)
        default: try simple(head)
        }
    }

    private mutating func negative(_ argument: UInt64) {
        if let int = Int64(exactly: argument) {
            tree.int(-1 - int)
        } else {
            tree.digits("-\(UInt128(argument) + 1)")
        }
    }

    /// The bytes of a text or of bytes.
    private mutating func string(_ head: Head, _ depth: Int) throws(FormatError) -> [UInt8] {
        guard let count = head.argument else {
            var bytes: [UInt8] = []
            while next != Self.stop {
                let piece = try self.head(depth: depth + 1)
                guard piece.major == head.major, let count = piece.argument else {
                    throw faultOfValue("the pieces of a string are strings of its kind")
                }
                bytes += try text(try take(count), piece.major)
            }
            offset += 1
            return bytes
        }
        return Array(try text(try take(count), head.major))
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ major: UInt8) throws(FormatError) -> ArraySlice<UInt8> {
        guard major == 2 || String(validating: bytes, as: UTF8.self) != nil else {
            throw faultOfValue("the text is not UTF-8")
        }
        return bytes
    }

    /// Whether a container of that length goes on. The break of an indefinite length is read.
    private mutating func goesOn(_ index: UInt64, _ count: UInt64?) -> Bool {
        if let count { return index < count }
        guard next == Self.stop else { return true }
        offset += 1
        return false
    }

    private mutating func array(_ count: UInt64?, _ depth: Int) throws(FormatError) {
        tree.beginArray()
        var index: UInt64 = 0
        while goesOn(index, count) {
            try readCBOR(depth: depth + 1)
            index += 1
        }
        tree.end()
    }

    private mutating func map(_ count: UInt64?, _ depth: Int) throws(FormatError) {
        tree.beginObject()
        var known: Set<Key> = []
        var index: UInt64 = 0
        while goesOn(index, count) {
            let head = try head(depth: depth + 1)
            try write(key: try key(head, depth + 1), of: &known)
            try readCBOR(depth: depth + 1)
            index += 1
        }
        tree.end()
    }

    private mutating func key(_ head: Head, _ depth: Int) throws(FormatError) -> Key {
        switch (head.major, head.info) {
        case (0, _), (1, _):
            guard let int = head.argument.flatMap({ Int64(exactly: $0) }) else {
                throw faultOfValue("a key is beyond 64 bits")
            }
            return .int(head.major == 0 ? int : -1 - int)
        case (2, _), (3, _): return .text(try string(head, depth))
        case (7, 20), (7, 21): return .bool(head.info == 21)
        case (7, 25...27): return try key(Self.double(head))
        default: throw faultOfValue("a key is a text, a number or a boolean")
        }
    }

    private mutating func simple(_ head: Head) throws(FormatError) {
        switch head.info {
        case 20, 21: tree.bool(head.info == 21)
        // Undefined is the absence of a value, too.
        case 22, 23: tree.null()
        case 25...27: tree.double(Self.double(head))
        default: throw faultOfValue("the simple value \(head.argument ?? 0) is unknown")
        }
    }

    private static func double(_ head: Head) -> Double {
        let bits = head.argument ?? 0
        switch head.info {
        case 27: return Double(bitPattern: bits)
        case 26: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        // RFC 8949, appendix D.
        default:
            let (exponent, fraction) = (Int(bits >> 10 & 0x1F), Double(bits & 0x3FF))
            let magnitude =
                switch exponent {
                case 0: fraction * 0x1p-24
                case 31: fraction == 0 ? Double.infinity : .nan
                default: (fraction + 1024) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
                }
            return bits & 0x8000 == 0 ? magnitude : -magnitude
        }
    }

    // MARK: Tags

    /// Tags that leave a value as it is: hints for texts and bytes, times as seconds, and the mark of CBOR.
    private mutating func tagged(_ tag: UInt64, _ depth: Int) throws(FormatError) {
        let next = next ?? 0
        switch (tag, next >> 5) {
        case (0, 3), (1, 0), (1, 1), (1, 7), (24, 2), (32...36, 3), (21...23, _), (55799, _):
            try readCBOR(depth: depth + 1)
        case (2, 2), (3, 2):
            let head = try head(depth: depth + 1)
            try bigInteger(try string(head, depth + 1), isNegative: tag == 3)
        case (0...3, _), (24, _), (32...36, _):
            throw faultOfValue("the tag \(tag) isn't for this kind of value")
        default: throw faultOfValue("the tag \(tag) is unknown")
        }
    }

    private mutating func bigInteger(_ bytes: [UInt8], isNegative: Bool) throws(FormatError) {
        var bytes = Array(bytes.drop { $0 == 0 })
        guard bytes.count <= Self.mostDigits else {
            throw faultOfValue("an integer has more than \(Self.mostDigits) bytes")
        }
        if bytes.count <= 8 {
            let unsigned = bytes.reduce(UInt64.zero) { $0 << 8 | UInt64($1) }
            return isNegative ? negative(unsigned) : write(unsigned)
        }
        // The value of a negative one is -1 - n (RFC 8949 3.4.3).
        if isNegative {
            bytes.insert(0, at: 0)
            var index = bytes.count - 1
            while bytes[index] == 0xFF {
                bytes[index] = 0
                index -= 1
            }
            bytes[index] += 1
        }
        tree.digits((isNegative ? "-" : "") + BigDecimal.text(bytes))
    }
}

/// Integers of any size as decimal texts.
enum BigDecimal {
    private static let base: UInt64 = 1_000_000_000

    /// The digits of an integer, most significant byte first.
    static func text(_ bytes: [UInt8]) -> String {
        // Nine digits each, the least significant first.
        var groups: [UInt64] = [0]
        for byte in bytes {
            var carry = UInt64(byte)
            for index in groups.indices {
                let value = groups[index] << 8 | carry
                groups[index] = value % base
                carry = value / base
            }
            if carry > 0 { groups.append(carry) }
        }
        return groups.dropLast().reversed().reduce("\(groups.last ?? 0)") { text, group in
            let digits = "\(group)"
            return text + String(repeating: "0", count: 9 - digits.utf8.count) + digits
        }
    }

    /// The bytes of an integer's digits, most significant first.
    static func bytes(_ digits: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        for digit in digits.utf8 {
            var carry = UInt64(digit - UInt8(ascii: "0"))
            for index in bytes.indices {
                let value = UInt64(bytes[index]) * 10 + carry
                bytes[index] = UInt8(truncatingIfNeeded: value)
                carry = value >> 8
            }
            if carry > 0 { bytes.append(UInt8(carry)) }
        }
        return bytes.reversed()
    }
}
