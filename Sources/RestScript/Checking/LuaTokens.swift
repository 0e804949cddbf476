/// The tokens of a Lua text that a search for calls needs: names, plain strings, and single characters.
/// Comments are left out. A text that is not Lua gives arbitrary tokens.
struct LuaTokens: Sequence, IteratorProtocol {
    enum Kind: Equatable {
        case name(String)
        /// Nil for a string with escapes, whose value is not known.
        case string(String?)
        case symbol(UInt8)
    }

    struct Token: Equatable {
        let kind: Kind
        let line: Int
        /// Its bytes in the text; a string's with the quotes.
        let range: Range<Int>
    }

    private var rest: ArraySlice<UInt8>
    private var line = 1

    init(_ source: [UInt8]) {
        rest = source[...]
        if rest.first == UInt8(ascii: "#") { skipLine() }
    }

    mutating func next() -> Token? {
        while let byte = rest.first {
            let (start, place) = (line, rest.startIndex)
            func token(_ kind: Kind) -> Token {
                Token(kind: kind, line: start, range: place..<rest.startIndex)
            }
            if byte == UInt8(ascii: "-"), rest.dropFirst().first == byte {
                skipComment()
            } else if Self.isLetter(byte) {
                return token(.name(word()))
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                return token(.string(quoted(byte)))
            } else if byte == UInt8(ascii: "["), let level = longLevel() {
                return token(.string(long(level)))
            } else {
                advance()
                if byte > 0x20 { return token(.symbol(byte)) }
            }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == UInt8(ascii: "_") || isDigit(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private mutating func advance() {
        if rest.popFirst() == UInt8(ascii: "\n") { line += 1 }
    }

    private mutating func skipLine() {
        while let byte = rest.first, byte != UInt8(ascii: "\n") { rest.removeFirst() }
    }

    private mutating func skipComment() {
        rest = rest.dropFirst(2)
        if rest.first == UInt8(ascii: "["), let level = longLevel() { _ = long(level) } else { skipLine() }
    }

    private mutating func word() -> String {
        let word = rest.prefix(while: Self.isLetter)
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func quoted(_ quote: UInt8) -> String? {
        rest.removeFirst()
        var text: [UInt8] = []
        var isPlain = true
        while let byte = rest.first, byte != quote, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                advance()
            }
            text.append(byte)
            advance()
        }
        if rest.first == quote { rest.removeFirst() }
        return isPlain ? String(decoding: text, as: UTF8.self) : nil
    }

    /// The number of `=` in `[==[`; nil when the bracket does not open a long string.
    private func longLevel() -> Int? {
        let level = rest.dropFirst().prefix { $0 == UInt8(ascii: "=") }.count
        return rest.dropFirst(level + 1).first == UInt8(ascii: "[") ? level : nil
    }

    private mutating func long(_ level: Int) -> String? {
        for _ in 0..<(level + 2) { advance() }
        let end =
            [UInt8(ascii: "]")] + Array(repeating: UInt8(ascii: "="), count: level) + [UInt8(ascii: "]")]
        var text: [UInt8] = []
        while !rest.isEmpty {
            if rest.first == end[0], rest.starts(with: end) {
                rest = rest.dropFirst(end.count)
                return String(decoding: text, as: UTF8.self)
            }
            text.append(rest[rest.startIndex])
            advance()
        }
        return nil
    }
}

/// The modules that a text requires by name: `require "name"`, `require("name")`. A module in
/// `pcall(require, "name")` may be missing, so it is not listed.
struct RequiredModules {
    let found: [(name: String, line: Int)]

    init(_ source: [UInt8]) {
        var found: [(name: String, line: Int)] = []
        var before: LuaTokens.Kind?
        var isRequire = false
        var tokens = LuaTokens(source)
        while let token = tokens.next() {
            switch token.kind {
            case .string(let name?) where isRequire:
                // The name is more than the string in `require("a." .. b)`.
                var following = tokens
                let isPart =
                    before == .symbol(UInt8(ascii: "("))
                    && following.next()?.kind != .symbol(UInt8(ascii: ")"))
                if !isPart { found.append((name, token.line)) }
            case .symbol(UInt8(ascii: "(")) where isRequire:
                before = token.kind
                continue
            default: break
            }
            let isField = before == .symbol(UInt8(ascii: ".")) || before == .symbol(UInt8(ascii: ":"))
            isRequire = token.kind == .name("require") && !isField
            before = token.kind
        }
        self.found = found
    }
}

/// The environment variables that a text reads by name through the library, each once: `rest.env.NAME` and
/// `rest.env["NAME"]`. The variable that holds the library may have any name.
struct VariableReads {
    let found: [(name: String, line: Int)]

    init(_ source: [UInt8]) {
        var found: [(name: String, line: Int)] = []
        var seen: Set<String> = []
        // The last six tokens, from a name on: `rest`, a dot, `env`, and `.NAME` or `["NAME"]`. In
        // `["A" .. b]` no bracket follows the string.
        var last: [LuaTokens.Kind] = []
        for token in LuaTokens(source) {
            if last.count == 6 { last.removeFirst() }
            last.append(token.kind)
            let name: String
            switch (last.suffix(2).first, token.kind) {
            case (.symbol(UInt8(ascii: ".")), .name(let read)) where Self.isEnvironment(last.dropLast(2)):
                name = read
            case (.string(let read?), .symbol(UInt8(ascii: "]")))
            where last.dropLast(2).last == .symbol(UInt8(ascii: "[")) && Self.isEnvironment(last.dropLast(3)):
                name = read
            default: continue
            }
            if seen.insert(name).inserted { found.append((name, token.line)) }
        }
        self.found = found
    }

    /// Whether tokens end with a name, a dot and `env`.
    private static func isEnvironment(_ tokens: ArraySlice<LuaTokens.Kind>) -> Bool {
        let end = Array(tokens.suffix(3))
        guard end.count == 3, case .name = end[0] else { return false }
        return end[1] == .symbol(UInt8(ascii: ".")) && end[2] == .name("env")
    }
}
