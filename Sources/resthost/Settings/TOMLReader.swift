/// Reads the text of a ``TOMLDocument``. It skips white space on the line before each part.
struct TOMLReader {
    typealias Fault = TOMLDocument.Fault

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private(set) var line = 1
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func advance() {
        if next == "\n" { line += 1 }
        place += 1
    }

    private mutating func skipSpaces() {
        while next == " " || next == "\t" { place += 1 }
    }

    private mutating func skipComment() {
        guard next == "#" else { return }
        while let scalar = next, scalar != "\n" { _ = scalar; place += 1 }
    }

    /// Skips empty lines and comments. False at the end.
    mutating func skipToContent() -> Bool {
        while let scalar = next {
            switch scalar {
            case " ", "\t", "\r", "\n": advance()
            case "#": skipComment()
            default: return true
            }
        }
        return false
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard next == scalar else { return false }
        place += 1
        return true
    }

    mutating func endLine() throws(Fault) {
        skipSpaces()
        skipComment()
        if next == "\r" { place += 1 }
        guard next == nil || next == "\n" else { throw fault("the line goes on where it should end") }
    }

    mutating func key() throws(Fault) -> String {
        skipSpaces()
        let key: String
        if next == "\"" || next == "'" { key = try string() } else { key = word(\.isTOMLKey) }
        guard !key.isEmpty else { throw fault("a name is missing") }
        skipSpaces()
        if next == "." { throw fault("dotted names are not known here: write a table, [\(key)]") }
        return key
    }

    mutating func value() throws(Fault) -> TOMLDocument.Value {
        skipSpaces()
        switch next {
        case "\"", "'": return .string(try string())
        case "[": return .array(try array())
        case "{": throw fault("inline tables are not known here: write a table, [name]")
        case nil, "\n", "\r", "#": throw fault("a value is missing")
        default: return try plainValue()
        }
    }

    private mutating func word(_ isPart: (Unicode.Scalar) -> Bool) -> String {
        var word = ""
        while let scalar = next, isPart(scalar) {
            word.unicodeScalars.append(scalar)
            place += 1
        }
        return word
    }

    private mutating func plainValue() throws(Fault) -> TOMLDocument.Value {
        let text = word { $0.isTOMLKey || $0 == "+" || $0 == "." || $0 == ":" }
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "": throw fault("a value is missing")
        default: break
        }
        guard !text.hasPrefix("_"), !text.hasSuffix("_"), !text.contains("__") else { throw unknown(text) }
        let digits = text.replacing("_", with: "")
        let unsigned = digits.drop { $0 == "+" || $0 == "-" }
        let isNumber = digits.utf8.count - unsigned.utf8.count <= 1 && unsigned.first?.isNumber == true
        guard isNumber, !(unsigned.hasPrefix("0") && unsigned.dropFirst().first?.isNumber == true) else {
            throw unknown(text)
        }
        if let number = Int64(digits) { return .integer(number) }
        let isDecimal = unsigned.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "eE.+-".utf8.contains($0)
        }
        guard isDecimal, unsigned.last?.isNumber == true, let number = Double(digits), number.isFinite else {
            throw unknown(text)
        }
        return .float(number)
    }

    private func unknown(_ text: String) -> Fault {
        fault("'\(text)' is no value: strings have quotes; dates are not known here")
    }

    private mutating func array() throws(Fault) -> [TOMLDocument.Value] {
        place += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= 16 else { throw fault("arrays are too deep") }
        var values: [TOMLDocument.Value] = []
        while true {
            guard skipToContent() else { throw fault("']' is missing") }
            if take("]") { return values }
            values.append(try value())
            guard skipToContent() else { throw fault("']' is missing") }
            if take("]") { return values }
            guard take(",") else { throw fault("',' or ']' is missing") }
        }
    }

    private mutating func string() throws(Fault) -> String {
        let quote = next
        place += 1
        var text = ""
        while let scalar = next {
            place += 1
            switch scalar {
            case quote:
                if text.isEmpty, next == quote {
                    throw fault("strings of several lines are not known here")
                }
                return text
            case "\\" where quote == "\"": text.unicodeScalars.append(try escaped())
            case "\t": text.append("\t")
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                throw Fault(line: line, message: "the string has no end on its line")
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw fault("the string has no end")
    }

    private mutating func escaped() throws(Fault) -> Unicode.Scalar {
        let letter = next
        if letter != "\n" { place += 1 }
        switch letter {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{c}"
        case "r": return "\r"
        case "\"": return "\""
        case "\\": return "\\"
        case "u": return try code(4)
        case "U": return try code(8)
        default: throw fault("an unknown escape: use single quotes for text with backslashes")
        }
    }

    private mutating func code(_ count: Int) throws(Fault) -> Unicode.Scalar {
        guard place + count <= scalars.count else { throw fault("the string has no end") }
        let digits = String(String.UnicodeScalarView(scalars[place..<place + count]))
        let isHex = digits.utf8.count == count && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        guard isHex, let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
            throw fault("'\(digits)' is no code point")
        }
        place += count
        return scalar
    }
}

extension Unicode.Scalar {
    fileprivate var isTOMLKey: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}
