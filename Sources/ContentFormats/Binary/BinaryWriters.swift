import RestEngine

/// The parts that both writers have in common.
protocol BinaryWriter {
    static var name: String { get }
    var isBinary: Bool { get }
    var stop: StopFlag { get }
    var bytes: [UInt8] { get set }

    mutating func writeSimple(_ value: Bool?)
    mutating func write(int: Int64)
    mutating func write(digits: Substring, isNegative: Bool) throws(FormatError)
    mutating func writeHead(ofString count: Int, isText: Bool) throws(FormatError)
    mutating func writeHead(ofArray count: Int)
    mutating func writeHead(ofMap count: Int)
    /// The first bytes of floats of 32 and 64 bits.
    static var floats: (single: UInt8, double: UInt8) { get }
}

extension BinaryWriter {
    mutating func write(_ tree: Tree, depth: Int) throws(FormatError) {
        try stop.check()
        let most = FormatLimits().depth
        guard depth <= most else {
            throw FormatError(Self.name, at: nil, "the value is nested more than \(most) levels deep")
        }
        switch tree.kind {
        case .null: writeSimple(nil)
        case .boolean: writeSimple(tree.bool)
        case .integer: write(int: tree.int ?? 0)
        case .double: try number(tree)
        case .string: try string(Array(tree.bytes ?? []), isText: !isBinary)
        case .array:
            writeHead(ofArray: tree.count)
            for element in tree.elements { try write(element, depth: depth + 1) }
        case .object:
            writeHead(ofMap: tree.count)
            for (key, value) in tree.pairs {
                try string(Array(key.utf8), isText: true)
                try write(value, depth: depth + 1)
            }
        case .table:
            let entries = tree.entries
            writeHead(ofMap: entries.count)
            for (key, value) in entries {
                if let bytes = key.bytes {
                    try string(Array(bytes), isText: true)
                } else {
                    try write(key, depth: depth + 1)
                }
                try write(value, depth: depth + 1)
            }
        }
    }

    /// - Parameter isText: Whether it is text if it is UTF-8.
    private mutating func string(_ string: [UInt8], isText: Bool) throws(FormatError) {
        let isText = isText && String(validating: string, as: UTF8.self) != nil
        try writeHead(ofString: string.count, isText: isText)
        bytes += string
    }

    private mutating func number(_ tree: Tree) throws(FormatError) {
        if let digits = tree.digits,
            digits.utf8.allSatisfy({
                $0 == UInt8(ascii: "-") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
            })
        {
            let isNegative = digits.hasPrefix("-")
            return try write(digits: isNegative ? digits.dropFirst() : digits[...], isNegative: isNegative)
        }
        let double = tree.double ?? 0
        if let single = Float(exactly: double) {
            bytes.append(Self.floats.single)
            append(single.bitPattern)
        } else {
            bytes.append(Self.floats.double)
            append(double.bitPattern)
        }
    }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}

struct MessagePackWriter: BinaryWriter {
    static let name = BinaryFormat.messagePack.name
    static let floats: (single: UInt8, double: UInt8) = (0xCA, 0xCB)

    let isBinary: Bool
    let stop: StopFlag
    var bytes: [UInt8] = []

    init(isBinary: Bool, _ stop: StopFlag) { (self.isBinary, self.stop) = (isBinary, stop) }

    mutating func writeSimple(_ value: Bool?) { bytes.append(value.map { $0 ? 0xC3 : 0xC2 } ?? 0xC0) }

    mutating func write(int: Int64) {
        if int >= 0 { return write(unsigned: UInt64(int)) }
        if int >= -32 {
            append(Int8(int))
        } else if let short = Int8(exactly: int) {
            bytes.append(0xD0)
            append(short)
        } else if let middle = Int16(exactly: int) {
            bytes.append(0xD1)
            append(middle)
        } else if let long = Int32(exactly: int) {
            bytes.append(0xD2)
            append(long)
        } else {
            bytes.append(0xD3)
            append(int)
        }
    }

    private mutating func write(unsigned: UInt64) {
        if unsigned < 0x80 {
            bytes.append(UInt8(unsigned))
        } else {
            head(unsigned, [0xCC, 0xCD, 0xCE, 0xCF])
        }
    }

    mutating func write(digits: Substring, isNegative: Bool) throws(FormatError) {
        guard !isNegative, let unsigned = UInt64(digits) else {
            throw FormatError(
                Self.name, at: nil,
                "the integer \(isNegative ? "-" : "")\(digits.prefix(60)) has more than 64 bits")
        }
        write(unsigned: unsigned)
    }

    mutating func writeHead(ofString count: Int, isText: Bool) throws(FormatError) {
        guard count <= UInt32.max else {
            throw FormatError(Self.name, at: nil, "a string is larger than 4 GiB")
        }
        if isText, count < 32 {
            bytes.append(0xA0 | UInt8(count))
        } else {
            head(UInt64(count), isText ? [0xD9, 0xDA, 0xDB] : [0xC4, 0xC5, 0xC6])
        }
    }

    mutating func writeHead(ofArray count: Int) {
        if count < 16 { bytes.append(0x90 | UInt8(count)) } else { head(UInt64(count), [0xDC, 0xDC, 0xDD]) }
    }

    mutating func writeHead(ofMap count: Int) {
        if count < 16 { bytes.append(0x80 | UInt8(count)) } else { head(UInt64(count), [0xDE, 0xDE, 0xDF]) }
    }

    /// - Parameter firsts: The first bytes for numbers of 1, 2, 4 and 8 bytes; equal ones have the longer
    ///   form.
    private mutating func head(_ number: UInt64, _ firsts: [UInt8]) {
        if let short = UInt8(exactly: number), firsts[0] != firsts[1] {
            bytes.append(firsts[0])
            append(short)
        } else if let middle = UInt16(exactly: number) {
            bytes.append(firsts[1])
            append(middle)
        } else if let long = UInt32(exactly: number) {
            bytes.append(firsts[2])
            append(long)
        } else {
            bytes.append(firsts[3])
            append(number)
        }
    }
}

struct CBORWriter: BinaryWriter {
    static let name = BinaryFormat.cbor.name
    static let floats: (single: UInt8, double: UInt8) = (0xFA, 0xFB)

    let isBinary: Bool
    let stop: StopFlag
    var bytes: [UInt8] = []

    init(isBinary: Bool, _ stop: StopFlag) { (self.isBinary, self.stop) = (isBinary, stop) }

    mutating func writeSimple(_ value: Bool?) { bytes.append(value.map { $0 ? 0xF5 : 0xF4 } ?? 0xF6) }

    mutating func write(int: Int64) {
        if int >= 0 { head(0, UInt64(int)) } else { head(1, UInt64(-1 - int)) }
    }

    /// Beyond 64 bits an integer is its bytes with a tag (RFC 8949 3.4.3).
    mutating func write(digits: Substring, isNegative: Bool) throws(FormatError) {
        guard digits.utf8.count <= 2400 else {
            throw FormatError(Self.name, at: nil, "an integer has more than 2400 digits")
        }
        var magnitude = BigDecimal.bytes(digits)
        if isNegative {
            var index = magnitude.count - 1
            while magnitude[index] == 0 {
                magnitude[index] = 0xFF
                index -= 1
            }
            magnitude[index] -= 1
            magnitude = Array(magnitude.drop { $0 == 0 })
        }
        if magnitude.count <= 8 {
            return head(isNegative ? 1 : 0, magnitude.reduce(UInt64.zero) { $0 << 8 | UInt64($1) })
        }
        head(6, isNegative ? 3 : 2)
        head(2, UInt64(magnitude.count))
        bytes += magnitude
    }

    mutating func writeHead(ofString count: Int, isText: Bool) throws(FormatError) {
        head(isText ? 3 : 2, UInt64(count))
    }
    mutating func writeHead(ofArray count: Int) { head(4, UInt64(count)) }
    mutating func writeHead(ofMap count: Int) { head(5, UInt64(count)) }

    private mutating func head(_ major: UInt8, _ argument: UInt64) {
        let major = major << 5
        if argument < 24 {
            bytes.append(major | UInt8(argument))
        } else if let short = UInt8(exactly: argument) {
            bytes.append(major | 24)
            append(short)
        } else if let middle = UInt16(exactly: argument) {
            bytes.append(major | 25)
            append(middle)
        } else if let long = UInt32(exactly: argument) {
            bytes.append(major | 26)
            append(long)
        } else {
            bytes.append(major | 27)
            append(argument)
        }
    }
}
