import RestEngine

/// Writes a tree as a YAML text in block style.
struct YAMLWriter {
    private(set) var text: [UInt8] = []
    private let stop: StopFlag

    init(_ stop: StopFlag) { self.stop = stop }

    mutating func document(_ tree: Tree) throws(FormatError) {
        if Self.isBlock(tree) {
            try block(tree, indent: 0)
        } else {
            try inline(tree)
            newline()
        }
    }

    /// An empty container is written in its line.
    private static func isBlock(_ tree: Tree) -> Bool {
        (tree.kind == .array || tree.kind == .object) && tree.count > 0
    }

    private mutating func block(_ tree: Tree, indent: Int) throws(FormatError) {
        guard indent < 2 * FormatLimits().depth else {
            throw FormatError(
                YAML.name, at: nil, "the value is nested more than \(FormatLimits().depth) levels deep")
        }
        if tree.kind == .array {
            for element in tree.elements {
                spaces(indent)
                text.append(UInt8(ascii: "-"))
                try behind(element, indent: indent)
            }
            return
        }
        for (key, value) in tree.pairs {
            spaces(indent)
            try self.key(key, indent: indent)
            text.append(UInt8(ascii: ":"))
            try behind(value, indent: indent)
        }
    }

    /// A key in the line of its value has at most 1024 characters (YAML 1.2.2, 7.4.2).
    private mutating func key(_ key: String, indent: Int) throws(FormatError) {
        let isLong = key.utf8.count > 160
        if isLong { append("? ") }
        try string(Array(key.utf8))
        guard isLong else { return }
        newline()
        spaces(indent)
    }

    /// A value behind its key or its dash.
    private mutating func behind(_ value: Tree, indent: Int) throws(FormatError) {
        if Self.isBlock(value) {
            newline()
            try block(value, indent: indent + 2)
        } else {
            text.append(UInt8(ascii: " "))
            try inline(value)
            newline()
        }
    }

    private mutating func inline(_ tree: Tree) throws(FormatError) {
        try stop.check()
        switch tree.kind {
        case .null: append("null")
        case .boolean: append(tree.bool == true ? "true" : "false")
        case .integer: append("\(tree.int ?? 0)")
        case .double: append(tree.digits ?? Self.text(of: tree.double ?? 0))
        case .string: try string(Array(tree.bytes ?? []))
        case .array: append("[]")
        case .object: append("{}")
        case .table:
            throw FormatError(
                YAML.name, at: nil, "a table has either items or fields with names that are texts, not both")
        }
    }

    private static func text(of double: Double) -> String {
        if double.isNaN { return ".nan" }
        if double.isInfinite { return double < 0 ? "-.inf" : ".inf" }
        let text = "\(double)"
        // Parsers of YAML 1.1 take a number without a dot for a text.
        guard !text.contains("."), let exponent = text.firstIndex(of: "e") else { return text }
        return text[..<exponent] + ".0" + text[exponent...]
    }

    private mutating func string(_ bytes: [UInt8]) throws(FormatError) {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw FormatError(
                YAML.name, at: nil, "a string is not UTF-8: encode bytes with rest.base64 first")
        }
        if Self.isPlain(bytes) { text += bytes } else { quoted(string) }
    }

    /// Whether a text means itself without quotes, for parsers of YAML 1.1, too, where `yes` is a boolean and
    /// `1:30` a number.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, isLetter(first) || first == UInt8(ascii: "_"), bytes.count <= 80,
            bytes.last != UInt8(ascii: " ")
        else { return false }
        let inner = " -_./"
        guard bytes.allSatisfy({ isLetter($0) || isDigit($0) || inner.utf8.contains($0) }) else {
            return false
        }
        return !reserved.contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }

    private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private mutating func quoted(_ string: String) {
        text.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\t": append("\\t")
            case "\r": append("\\r")
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}",
                "\u{FFFE}"..."\u{FFFF}":
                let hex = String(scalar.value, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: text += Array(String(scalar).utf8)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ string: String) { text += Array(string.utf8) }
    private mutating func newline() { text.append(UInt8(ascii: "\n")) }
    private mutating func spaces(_ count: Int) { text += repeatElement(UInt8(ascii: " "), count: count) }
}
