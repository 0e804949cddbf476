import RestEngine

/// A scalar of a YAML text, resolved by the core schema (YAML 1.2.2, 10.3).
enum YAMLScalar: Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    /// An integer beyond 64 bits.
    case digits(String)
    case double(Double)
    case string([UInt8])

    static let core = "tag:yaml.org,2002:"

    /// Nil for an unknown tag, and for a text that isn't what its tag says.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, tag: String?, isPlain: Bool) {
        guard let tag else {
            self = isPlain ? Self(plain: bytes) : .string(Array(bytes))
            return
        }
        guard tag != "!", tag != Self.core + "str" else {
            self = .string(Array(bytes))
            return
        }
        switch (Self(plain: bytes), tag) {
        case (let null, Self.core + "null") where null == .null: self = null
        case (.bool(let bool), Self.core + "bool"): self = .bool(bool)
        case (.int(let int), Self.core + "int"): self = .int(int)
        case (.int(let int), Self.core + "float"): self = .double(Double(int))
        case (.digits(let digits), Self.core + "int"), (.digits(let digits), Self.core + "float"):
            self = .digits(digits)
        case (.double(let double), Self.core + "float"): self = .double(double)
        default: return nil
        }
    }

    /// A scalar without tag and quotes.
    init(plain bytes: UnsafeBufferPointer<UInt8>) {
        // Most texts begin with a letter that no other scalar begins with.
        guard let first = bytes.first else {
            self = .null
            return
        }
        switch first {
        case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
            UInt8(ascii: "f"), UInt8(ascii: "F"):
            if bytes.count <= 5, let word = Self.words[String(decoding: bytes, as: UTF8.self)] {
                self = word
                return
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            if let number = Self.number(bytes) {
                self = number
                return
            }
        default: break
        }
        self = .string(Array(bytes))
    }

    private static let words: [String: YAMLScalar] = [
        "~": .null, "null": .null, "Null": .null, "NULL": .null, "true": .bool(true), "True": .bool(true),
        "TRUE": .bool(true), "false": .bool(false), "False": .bool(false), "FALSE": .bool(false),
    ]

    private static let special: [String: Double] = {
        var special: [String: Double] = [".nan": .nan, ".NaN": .nan, ".NAN": .nan]
        for text in [".inf", ".Inf", ".INF"] {
            (special[text], special["+" + text], special["-" + text]) = (.infinity, .infinity, -.infinity)
        }
        return special
    }()

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> YAMLScalar? {
        // Longer numbers are texts: no number needs a thousand digits.
        guard bytes.count <= 1000 else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if let special = special[text] { return .double(special) }
        for (prefix, radix) in [("0o", 8), ("0x", 16)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            guard digits.first != "-", digits.first != "+" else { return nil }
            return Int64(digits, radix: radix).map { .int($0) }
        }
        guard let shape = shape(bytes) else { return nil }
        guard shape == .integer else { return Double(Self.completed(text)).map { .double($0) } }
        if let int = Int64(text) { return .int(int) }
        let isNegative = text.hasPrefix("-")
        let digits = text.drop { "+-0".contains($0) }
        return .digits((isNegative ? "-" : "") + digits)
    }

    /// Swift reads neither `.5` nor `5.`.
    private static func completed(_ text: String) -> String {
        var text = text
        if let dot = text.firstIndex(of: ".") {
            let next = text.index(after: dot)
            if next == text.endIndex || !text[next].isNumber { text.insert("0", at: next) }
            if dot == text.startIndex || !text[text.index(before: dot)].isNumber { text.insert("0", at: dot) }
        }
        return text
    }

    private enum Shape { case integer, float }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
    private static func shape(_ bytes: UnsafeBufferPointer<UInt8>) -> Shape? {
        var rest = bytes[...]
        func digits() -> Int {
            let count = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
            rest = rest.dropFirst(count)
            return count
        }
        func sign() {
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        }
        sign()
        var shape = Shape.integer
        let whole = digits()
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() + whole > 0 else { return nil }
            shape = .float
        } else if whole == 0 {
            return nil
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            sign()
            guard digits() > 0 else { return nil }
            shape = .float
        }
        return rest.isEmpty ? shape : nil
    }

    func write(to builder: inout Tree.Builder) {
        switch self {
        case .null: builder.null()
        case .bool(let bool): builder.bool(bool)
        case .int(let int): builder.int(int)
        case .digits(let digits): builder.digits(digits)
        case .double(let double): builder.double(double)
        case .string(let bytes): builder.string(utf8: bytes)
        }
    }
}
