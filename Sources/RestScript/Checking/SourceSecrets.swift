import RestEngine

/// Hides secrets of a script's text that is shown to people: the strings of calls that take credentials, such
/// as `rest.auth.basic("me", "…")`, and of several variables in one assignment. Values beside a secret name
/// are hidden by `SecretMask` like those of all other output.
public enum SourceSecrets {
    /// Functions that take credentials. A script may call its own one so.
    private static let functions: Set<String> = [
        "basic", "digest", "bearer", "secret", "hmac", "sign", "login", "log_in", "sign_in", "authenticate",
    ]

    /// The text with the same number of lines.
    public static func masked(_ source: [UInt8]) -> [UInt8] {
        var tokens = LuaTokens(source)
        var state = State()
        var hidden: [Range<Int>] = []
        while let token = tokens.next() {
            if state.isSecret(token) { hidden.append(token.range) }
        }
        guard !hidden.isEmpty else { return source }
        var (shown, copied) = ([UInt8](), 0)
        for range in hidden {
            shown += source[copied..<range.lowerBound]
            shown += "\"\(SecretMask.text)\"".utf8
            // The lines keep their numbers.
            shown += source[range].filter { $0 == UInt8(ascii: "\n") }
            copied = range.upperBound
        }
        return shown + source[copied...]
    }

    /// The place in the text.
    private struct State {
        /// The brackets that are open since the call of such a function.
        private var depth = 0
        /// The name before was that of such a function.
        private var isCalled = false
        /// The names since the last symbol other than a comma.
        private var list = (names: 0, hasSecret: false)
        /// An assignment to a list with a secret name: its line, and the end of its `=`.
        private var assignment: (line: Int, end: Int)?

        /// Whether a token is a string with a secret.
        mutating func isSecret(_ token: LuaTokens.Token) -> Bool {
            if let line = assignment?.line, line != token.line { assignment = nil }
            switch token.kind {
            case .string:
                defer { (isCalled, list) = (false, (0, false)) }
                return isCalled || depth > 0 || assignment != nil
            case .name(let name):
                isCalled = SourceSecrets.functions.contains(name)
                if name != "local" {
                    list = (list.names + 1, list.hasSecret || SecretMask.standard.hides(name))
                }
            case .symbol(let byte): note(byte, token)
            }
            return false
        }

        private mutating func note(_ byte: UInt8, _ token: LuaTokens.Token) {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["):
                if isCalled || depth > 0 { depth += 1 }
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: "="):
                // The second one of a comparison.
                if assignment?.end == token.range.lowerBound { assignment = nil }
                if list.hasSecret, list.names > 1 { assignment = (token.line, token.range.upperBound) }
            default: break
            }
            isCalled = false
            if byte != UInt8(ascii: ",") { list = (0, false) }
        }
    }
}
