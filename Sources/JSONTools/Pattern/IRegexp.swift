import RestEngine

/// An interoperable regular expression (RFC 9485), translated for PCRE2.
struct IRegexp: Sendable {
    private let whole: CompiledRegex
    private let part: CompiledRegex

    /// Nil for text that is none.
    init?(_ text: String) {
        var translation = Translation(text)
        guard let pattern = translation.pattern(),
            let whole = try? CompiledRegex("\\A(?:\(pattern))\\z"), let part = try? CompiledRegex(pattern)
        else { return nil }
        (self.whole, self.part) = (whole, part)
    }

    /// Throws when the search takes too much work.
    func matches(_ text: String, isAnchored: Bool) throws(JSONToolsError) -> Bool {
        do { return try (isAnchored ? whole : part).matches(text) } catch {
            throw JSONToolsError("the regular expression takes too much work")
        }
    }
}

extension IRegexp {
    /// Texts beyond it are refused.
    private static let mostScalars = 4096
    private static let mostGroups = 100

    /// Reads an expression, and writes it for PCRE2 as it goes.
    private struct Translation {
        private var rest: ArraySlice<Unicode.Scalar>
        private var output = ""

        init(_ text: String) { rest = Array(text.unicodeScalars)[...] }

        /// Nil for a text that the grammar doesn't allow.
        mutating func pattern() -> String? {
            guard rest.count <= IRegexp.mostScalars else { return nil }
            var groups = 0
            var mayRepeat = false
            while let scalar = rest.popFirst() {
                switch scalar {
                case "|":
                    output += "|"
                    mayRepeat = false
                case "(":
                    groups += 1
                    guard groups <= IRegexp.mostGroups else { return nil }
                    output += "(?:"
                    mayRepeat = false
                case ")":
                    groups -= 1
                    guard groups >= 0 else { return nil }
                    output += ")"
                    mayRepeat = true
                case "*", "+", "?":
                    guard mayRepeat else { return nil }
                    output.unicodeScalars.append(scalar)
                    mayRepeat = false
                case "{":
                    guard mayRepeat, range() else { return nil }
                    mayRepeat = false
                default:
                    guard atom(scalar) else { return nil }
                    mayRepeat = true
                }
            }
            return groups == 0 ? output : nil
        }

        private mutating func atom(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case ".": output += "[^\\n\\r]"
            case "\\": return escape()
            case "[": return set()
            case "]", "}": return false
            // The grammar has them as plain characters, but its translations to other dialects, and the
            // compliance suite of JSONPath, leave them in place.
            case "^": output += "\\A"
            case "$": output += "\\z"
            default: append(scalar)
            }
            return true
        }

        /// A character that stands for itself, also where PCRE2 gives it a meaning.
        private mutating func append(_ scalar: Unicode.Scalar) {
            let isPlain =
                scalar.properties.isAlphabetic || scalar.value > 0x7F || ("0"..."9").contains(scalar)
            output += isPlain ? String(scalar) : "\\x{\(String(scalar.value, radix: 16))}"
        }

        /// `{2}`, `{2,}` or `{2,5}`, after its brace.
        private mutating func range() -> Bool {
            let least = digits()
            guard !least.isEmpty else { return false }
            output += "{\(least)"
            if rest.first == "," {
                rest.removeFirst()
                output += ",\(digits())"
            }
            output += "}"
            return rest.popFirst() == "}"
        }

        private mutating func digits() -> String {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            return String(String.UnicodeScalarView(digits))
        }

        /// The rest of an escape, behind its backslash, alone or in a set.
        private mutating func escape() -> Bool {
            if let single = singleEscape() {
                append(single)
                return true
            }
            return property()
        }

        private mutating func singleEscape() -> Unicode.Scalar? {
            guard let next = rest.first else { return nil }
            let scalar: Unicode.Scalar
            switch next {
            case "n": scalar = "\n"
            case "r": scalar = "\r"
            case "t": scalar = "\t"
            case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": scalar = next
            default: return nil
            }
            rest.removeFirst()
            return scalar
        }

        /// `\p{Lu}`, after its backslash.
        private mutating func property() -> Bool {
            guard let sign = rest.popFirst(), sign == "p" || sign == "P", rest.popFirst() == "{" else {
                return false
            }
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != "}" }))
            rest = rest.dropFirst(name.unicodeScalars.count)
            guard rest.popFirst() == "}", GeneralCategory.isKnown(name) else { return false }
            output += "\\\(sign){\(name)}"
            return true
        }

        /// `[^a-z]`, after its bracket.
        private mutating func set() -> Bool {
            output += "["
            if rest.first == "^" {
                rest.removeFirst()
                output += "^"
            }
            var isEmpty = true
            while let scalar = rest.popFirst() {
                if scalar == "]" {
                    output += "]"
                    return !isEmpty
                }
                if scalar == "-" {
                    // A hyphen stands for itself at both ends only.
                    guard isEmpty || rest.first == "]" else { return false }
                    append("-")
                } else if !member(scalar) {
                    return false
                }
                isEmpty = false
            }
            return false
        }

        private mutating func member(_ scalar: Unicode.Scalar) -> Bool {
            guard let first = character(scalar) else { return scalar == "\\" && property() }
            append(first)
            guard rest.first == "-", rest.dropFirst().first != "]" else { return true }
            rest.removeFirst()
            guard let next = rest.popFirst(), let last = character(next), last >= first else { return false }
            output += "-"
            append(last)
            return true
        }

        private mutating func character(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
            switch scalar {
            case "\\": singleEscape()
            case "[", "]", "-": nil
            default: scalar
            }
        }
    }
}

/// The general categories of Unicode, as regular expressions name them.
enum GeneralCategory {
    private static let parts: [Unicode.Scalar: String] = [
        "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "Z": "lps", "S": "ckmo", "C": "cfno",
    ]

    static func isKnown(_ name: String) -> Bool {
        var scalars = name.unicodeScalars[...]
        guard let first = scalars.popFirst(), let second = parts[first] else { return false }
        return scalars.isEmpty
            || scalars.count == 1 && second.unicodeScalars.contains { $0 == scalars.first }
    }

    /// The short name of a category; nil for other names.
    static func short(_ name: String) -> String? {
        isKnown(name) ? name : longNames[name]
    }

    private static let longNames = [
        "Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt",
        "Cased_Letter": "L&", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
        "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N",
        "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
        "Punctuation": "P", "punct": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
        "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs",
        "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "Format": "Cf",
    ]
}
