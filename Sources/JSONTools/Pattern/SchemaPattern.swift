import RestEngine

/// A regular expression of a schema: ECMA-262's dialect, as far as PCRE2 can express it.
struct SchemaPattern: Sendable {
    let text: String
    private let regex: CompiledRegex

    static let mostScalars = 8192

    init(_ text: String) throws(JSONToolsError) {
        guard text.unicodeScalars.count <= Self.mostScalars else {
            throw JSONToolsError("the pattern has more than \(Self.mostScalars) characters")
        }
        self.text = text
        var translation = Translation(text)
        let pattern = try translation.pattern()
        do { regex = try CompiledRegex(pattern) } catch {
            throw JSONToolsError("the pattern '\(text.shortened)' is wrong: \(error.message)")
        }
    }

    /// The memory of the compiled pattern.
    var byteCount: Int { regex.byteCount }

    /// Throws for a search that takes too much work, or a text over 8 KiB.
    func matches(_ text: String) throws -> Bool { try regex.matches(text) }
}

extension SchemaPattern {
    private struct Translation {
        private let text: String
        private var rest: ArraySlice<Unicode.Scalar>
        private var output = ""

        /// ECMAScript's white space has more than PCRE2's.
        private static let space = "\\s\\p{Z}\\x{FEFF}"

        init(_ text: String) {
            self.text = text
            rest = Array(text.unicodeScalars)[...]
        }

        private func fault(_ reason: String) -> JSONToolsError {
            JSONToolsError("the pattern '\(text.shortened)' is wrong: \(reason)")
        }

        mutating func pattern() throws(JSONToolsError) -> String {
            // Whether a quantifier may follow.
            var mayRepeat = false
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\\": try escape(inSet: false)
                case "[": try set()
                case ".": output += "[^\\n\\r\\x{2028}\\x{2029}]"
                case "$": output += "\\z"
                case "^": output += "\\A"
                case "(": try group()
                case "*", "+", "?":
                    guard mayRepeat else { throw fault("'\(scalar)' repeats nothing") }
                    output.unicodeScalars.append(scalar)
                    takeLaziness()
                case "{" where isQuantifier():
                    guard mayRepeat else { throw fault("'{' repeats nothing") }
                    takeQuantifier()
                    takeLaziness()
                case "{": output += "\\{"
                default: append(scalar)
                }
                mayRepeat = !["*", "+", "?", "(", "|"].contains(scalar) && !output.hasSuffix("}?")
            }
            return output
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            if scalar == "#" || scalar == " " { output += "\\" }
            output.unicodeScalars.append(scalar)
        }

        private mutating func takeLaziness() {
            if rest.first == "?" {
                rest.removeFirst()
                output += "?"
            }
        }

        /// The rest of a quantifier, if `{` begins one.
        private func quantifier() -> ArraySlice<Unicode.Scalar>? {
            guard let end = rest.firstIndex(of: "}") else { return nil }
            let inner = rest[..<end]
            let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
            let areDigits = parts.allSatisfy { $0.allSatisfy { ("0"..."9").contains($0) } }
            guard areDigits, parts.count <= 2, parts.first?.isEmpty == false else { return nil }
            return rest[...end]
        }

        private func isQuantifier() -> Bool { quantifier() != nil }

        private mutating func takeQuantifier() {
            let found = quantifier() ?? []
            rest = rest.dropFirst(found.count)
            output += "{" + String(String.UnicodeScalarView(found))
        }

        /// Takes `?:`, `?=`, `?!`, `?<=`, `?<!` and `?<name>`. PCRE2 knows more, which ECMAScript doesn't.
        private mutating func group() throws(JSONToolsError) {
            output += "("
            guard rest.first == "?" else {
                if rest.first == "*" { throw fault("'*' repeats nothing") }
                return
            }
            rest.removeFirst()
            output += "?"
            guard let kind = rest.popFirst() else { throw fault("the group has no end") }
            let isName = rest.first.map { $0.properties.isAlphabetic || $0 == "_" } ?? false
            guard
                [":", "=", "!"].contains(kind)
                    || kind == "<" && (isName || rest.first == "=" || rest.first == "!")
            else { throw fault("ECMAScript has no group '(?\(kind)'") }
            output.unicodeScalars.append(kind)
            if kind == "<", !isName, let next = rest.popFirst() { output.unicodeScalars.append(next) }
        }

        private mutating func set() throws(JSONToolsError) {
            var isNegated = false
            if rest.first == "^" {
                isNegated = true
                rest.removeFirst()
            }
            if rest.first == "]" {
                rest.removeFirst()
                output += isNegated ? "[\\x{0}-\\x{10FFFF}]" : "(?!)"
                return
            }
            output += isNegated ? "[^" : "["
            while let scalar = rest.popFirst() {
                switch scalar {
                case "]":
                    output += "]"
                    return
                case "[": output += "\\["
                case "\\": try escape(inSet: true)
                default: output.unicodeScalars.append(scalar)
                }
            }
            throw fault("a '[' has no ']'")
        }

        private mutating func escape(inSet: Bool) throws(JSONToolsError) {
            guard let scalar = rest.popFirst() else { throw fault("it ends with a backslash") }
            switch scalar {
            case "d", "D", "w", "W", "n", "r", "t", "f": output += "\\\(scalar)"
            case "v": output += "\\x{B}"
            case "b": output += inSet ? "\\x{8}" : "\\b"
            case "B" where !inSet: output += "\\B"
            case "s": output += inSet ? Self.space : "[\(Self.space)]"
            case "S" where !inSet: output += "[^\(Self.space)]"
            case "S": output += "\\S"
            case "c":
                guard let letter = rest.popFirst(), letter.isASCII, letter.properties.isAlphabetic else {
                    throw fault("'\\c' is followed by no letter")
                }
                output += "\\x{\(String(letter.value % 32, radix: 16))}"
            case "x": output += "\\x{\(String(try hexadecimal(2), radix: 16))}"
            case "u": output += "\\x{\(String(try codePoint(), radix: 16))}"
            case "p", "P": try property(scalar)
            case "k" where !inSet && rest.first == "<": output += "\\k"
            case "0" where !(rest.first.map { ("0"..."9").contains($0) } ?? false): output += "\\x{0}"
            case "1"..."9" where !inSet: output += "\\\(scalar)"
            default:
                guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                    throw fault("ECMAScript has no escape '\\\(scalar)'")
                }
                output += scalar.isASCII ? "\\\(scalar)" : String(scalar)
            }
        }

        private mutating func hexadecimal(_ count: Int) throws(JSONToolsError) -> UInt32 {
            let digits = String(String.UnicodeScalarView(rest.prefix(count)))
            guard digits.utf8.count == count, !digits.hasPrefix("+"), let value = UInt32(digits, radix: 16)
            else {
                throw fault("an escape has no \(count) hexadecimal digits")
            }
            rest = rest.dropFirst(count)
            return value
        }

        /// `\u12AB`, a pair of surrogates, or `\u{1F600}`.
        private mutating func codePoint() throws(JSONToolsError) -> UInt32 {
            var value: UInt32
            if rest.first == "{" {
                let digits = rest.dropFirst().prefix { $0 != "}" }
                guard let number = UInt32(String(String.UnicodeScalarView(digits)), radix: 16) else {
                    throw fault("an escape has no hexadecimal digits")
                }
                rest = rest.dropFirst(digits.count + 2)
                value = number
            } else {
                value = try hexadecimal(4)
                if (0xD800..<0xDC00).contains(value), rest.starts(with: ["\\", "u"]) {
                    rest = rest.dropFirst(2)
                    let low = try hexadecimal(4)
                    value = 0x10000 &+ ((value & 0x3FF) << 10) &+ (low & 0x3FF)
                }
            }
            guard Unicode.Scalar(value) != nil else { throw fault("an escape is no character") }
            return value
        }

        private mutating func property(_ sign: Unicode.Scalar) throws(JSONToolsError) {
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else {
                throw fault("'\\\(sign)' is followed by no '{…}'")
            }
            let name = String(String.UnicodeScalarView(rest[rest.startIndex + 1..<end]))
            rest = rest[(end + 1)...]
            let parts = name.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let known =
                parts.count == 2
                ? ["General_Category", "gc", "Script", "sc", "Script_Extensions", "scx"].contains(parts[0])
                : true
            guard known, let value = parts.last else {
                throw fault("there is no property '\(name.shortened)'")
            }
            output += "\\\(sign){\(GeneralCategory.short(value) ?? value)}"
        }
    }
}
