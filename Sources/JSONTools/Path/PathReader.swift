import RestEngine

/// Reads the characters, numbers and strings of a JSONPath.
struct PathReader {
    private let text: [UInt8]
    private(set) var offset = 0

    /// The largest integer in a path (RFC 9535 2.1).
    private static let mostInt = (1 << 53) - 1

    init(_ text: String) { self.text = Array(text.utf8) }

    var next: UInt8? { offset < text.count ? text[offset] : nil }
    var isAtEnd: Bool { offset == text.count }

    func fault(_ reason: String, at place: Int? = nil) -> JSONToolsError {
        JSONToolsError("the path is wrong at byte \((place ?? offset) + 1): \(reason)")
    }

    func isNext(_ expected: String) -> Bool { text[offset...].starts(with: expected.utf8) }

    mutating func take(_ expected: String) -> Bool {
        guard isNext(expected) else { return false }
        offset += expected.utf8.count
        return true
    }

    mutating func require(_ expected: String) throws(JSONToolsError) {
        guard take(expected) else { throw fault("'\(expected)' is missing") }
    }

    mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || (byte == 0x09 || byte == 0x0A || byte == 0x0D) { offset += 1 }
    }

    /// Skips blanks if `expected` follows them.
    mutating func takeAfterBlanks(_ expected: String) -> Bool {
        let start = offset
        skipBlanks()
        if take(expected) { return true }
        offset = start
        return false
    }

    mutating func go(to offset: Int) { self.offset = offset }

    // MARK: Names

    mutating func memberName() throws(JSONToolsError) -> String {
        let start = offset
        while let byte = next, Self.isNameByte(byte), offset > start || !Self.isDigit(byte) { offset += 1 }
        guard offset > start else { throw fault("a name, '*' or '[' is missing") }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    /// The name of a function, if one is called here; takes its parenthesis.
    mutating func functionName() -> String? {
        var end = offset
        while end < text.count, Self.isFunctionByte(text[end]) { end += 1 }
        guard end > offset, end < text.count, text[end] == UInt8(ascii: "("),
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text[offset])
        else { return nil }
        defer { offset = end + 1 }
        return String(decoding: text[offset..<end], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isDigit(byte) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isFunctionByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    // MARK: Numbers

    /// An index, or a bound of a slice; nil if none is here.
    mutating func integer() throws(JSONToolsError) -> Int? {
        let start = offset
        let isNegative = take("-")
        let digits = takeDigits()
        guard !digits.isEmpty else {
            guard !isNegative else { throw fault("a digit is missing") }
            return nil
        }
        guard digits.first != UInt8(ascii: "0") || digits.count == 1 && !isNegative else {
            throw fault("a number begins with a zero", at: start)
        }
        guard let value = Int(String(decoding: digits, as: UTF8.self)), value <= Self.mostInt else {
            throw fault("the number is beyond 2^53 - 1", at: start)
        }
        return isNegative ? -value : value
    }

    private mutating func takeDigits() -> ArraySlice<UInt8> {
        let start = offset
        while let byte = next, Self.isDigit(byte) { offset += 1 }
        return text[start..<offset]
    }

    /// A number, string, true, false or null; nil if none is here.
    mutating func literal() throws(JSONToolsError) -> Tree? {
        if next == UInt8(ascii: "'") || next == UInt8(ascii: "\"") { return Tree(try string()) }
        if let next, next == UInt8(ascii: "-") || Self.isDigit(next) { return try number() }
        for (word, value) in [("true", Tree(true)), ("false", Tree(false)), ("null", Tree.null)] {
            let start = offset
            guard take(word) else { continue }
            if let next, Self.isNameByte(next) || next == UInt8(ascii: "(") {
                offset = start
                continue
            }
            return value
        }
        return nil
    }

    /// A number has the form of JSON's.
    private mutating func number() throws(JSONToolsError) -> Tree {
        let start = offset
        _ = take("-")
        _ = takeDigits()
        if take(".") { _ = takeDigits() }
        if take("e") || take("E") {
            _ = take("-") || take("+")
            _ = takeDigits()
        }
        guard let tree = try? Tree(json: Array(text[start..<offset])) else {
            throw fault("this is no number", at: start)
        }
        return tree
    }

    // MARK: Strings

    mutating func string() throws(JSONToolsError) -> String {
        let quote = text[offset]
        let start = offset
        var bytes: [UInt8] = []
        offset += 1
        while let byte = next {
            offset += 1
            switch byte {
            case quote: return String(decoding: bytes, as: UTF8.self)
            case 0..<0x20: throw fault("a control character must be written as an escape", at: offset - 1)
            case UInt8(ascii: "\\"): try escape(quote, &bytes)
            default: bytes.append(byte)
            }
        }
        throw fault("the string has no end", at: start)
    }

    private mutating func escape(_ quote: UInt8, _ bytes: inout [UInt8]) throws(JSONToolsError) {
        let place = offset - 1
        guard let byte = next else { throw fault("the string has no end", at: place) }
        offset += 1
        switch byte {
        case quote, UInt8(ascii: "/"), UInt8(ascii: "\\"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            var value = try hexadecimal(place)
            if (0xD800..<0xDC00).contains(value) {
                guard take("\\u") else { throw fault("half of a surrogate pair is missing", at: place) }
                let low = try hexadecimal(place)
                guard (0xDC00..<0xE000).contains(low) else {
                    throw fault("half of a surrogate pair is missing", at: place)
                }
                value = 0x10000 + ((value & 0x3FF) << 10) + (low & 0x3FF)
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw fault("half of a surrogate pair is missing", at: place)
            }
            bytes += Character(scalar).utf8
        default: throw fault("there is no such escape", at: place)
        }
    }

    private mutating func hexadecimal(_ place: Int) throws(JSONToolsError) -> UInt32 {
        let digits = text[offset...].prefix(4)
        let isHexadecimal = digits.allSatisfy {
            Self.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
        }
        guard digits.count == 4, isHexadecimal,
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("'\\u' needs four hexadecimal digits", at: place) }
        offset += 4
        return value
    }
}
