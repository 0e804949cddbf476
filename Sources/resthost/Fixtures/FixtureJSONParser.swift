/// Reads one JSON text (RFC 8259), strictly.
struct FixtureJSONParser {
    /// Deeper texts are refused: the parser recurses.
    static let maximumDepth = 256

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func parse(_ bytes: [UInt8]) throws(FixtureJSONError) -> FixtureJSON {
        var parser = FixtureJSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.failure }
        return value
    }

    private var failure: FixtureJSONError { FixtureJSONError(offset: offset) }
    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(FixtureJSONError) -> FixtureJSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { (parser) throws(FixtureJSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(FixtureJSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout FixtureJSONParser) throws(FixtureJSONError) -> FixtureJSON
    ) throws(FixtureJSONError) -> FixtureJSON {
        guard depth < Self.maximumDepth else { throw failure }
        depth += 1
        defer { depth -= 1 }
        offset += 1
        skipSpace()
        return try read(&self)
    }

    private mutating func object() throws(FixtureJSONError) -> FixtureJSON {
        var members: [FixtureJSON.Member] = []
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            guard take(":") else { throw failure }
            members.append(FixtureJSON.Member(name, try value()))
            skipSpace()
        } while take(",")
        guard take("}") else { throw failure }
        return .object(members)
    }

    private mutating func array() throws(FixtureJSONError) -> FixtureJSON {
        var elements: [FixtureJSON] = []
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw failure }
        return .array(elements)
    }

    private mutating func word(_ word: String, _ value: FixtureJSON) throws(FixtureJSONError) -> FixtureJSON {
        for byte in word.utf8 {
            guard next == byte else { throw failure }
            offset += 1
        }
        return value
    }

    private mutating func number() throws(FixtureJSONError) -> FixtureJSON {
        let start = offset
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func digits() throws(FixtureJSONError) {
        let start = offset
        while let byte = next, byte &- 0x30 < 10 { offset += 1 }
        guard offset > start else { throw failure }
    }

    private mutating func string() throws(FixtureJSONError) -> String {
        guard take("\"") else { throw failure }
        let start = offset
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw failure }
            offset += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        guard take("\"") else { throw failure }
        guard let valid = String(validating: text, as: UTF8.self) else {
            throw FixtureJSONError(offset: start)
        }
        return valid
    }

    private mutating func escape(into text: inout [UInt8]) throws(FixtureJSONError) {
        guard let byte = next else { throw failure }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default:
            offset -= 1
            throw failure
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that are a surrogate pair; a lone surrogate is refused.
    private mutating func scalar() throws(FixtureJSONError) -> Character {
        let start = offset
        var code = try hexadecimal()
        if code & 0xFC00 == 0xD800, take("\\"), take("u") {
            let low = try hexadecimal()
            guard low & 0xFC00 == 0xDC00 else { throw FixtureJSONError(offset: start) }
            code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { throw FixtureJSONError(offset: start) }
        return Character(scalar)
    }

    private mutating func hexadecimal() throws(FixtureJSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure
            }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }
}
