/// One challenge of a WWW-Authenticate field (RFC 9110 11.3).
package struct AuthenticationChallenge: Sendable, Equatable {
    /// The scheme's name, in lower case.
    package let scheme: String
    /// The text after the scheme, if it is a single token and not a list of parameters.
    package internal(set) var token: String?
    /// By name in lower case, with quotes and escapes resolved. The first of several with the same name
    /// counts.
    package internal(set) var parameters: [String: String] = [:]

    /// Bytes of a field, and of a challenge; the rest is not read.
    static let maxBytes = 16 << 10
    static let maxChallenges = 32
    static let maxParameters = 32

    /// The challenges of all WWW-Authenticate fields, in order. If one can't be parsed, it and the rest of
    /// its field are left out.
    package static func list(in headers: Headers) -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        for value in headers.values("WWW-Authenticate") {
            var reader = ChallengeReader(value)
            found += reader.challenges()
        }
        return Array(found.prefix(maxChallenges))
    }

    /// A field that is a list of parameters, as Authentication-Info is (RFC 9110 11.6.3).
    static func parameters(in value: String) -> [String: String] {
        var reader = ChallengeReader("info " + value)
        return reader.challenges().first?.parameters ?? [:]
    }

    /// A value as a quoted string (RFC 9110 5.6.4).
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// Reads `1#challenge`. Commas separate challenges as well as parameters: a name followed by an equals sign
/// is a parameter, any other name is the scheme of the next challenge.
private struct ChallengeReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8).prefix(AuthenticationChallenge.maxBytes) }

    mutating func challenges() -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        while found.count < AuthenticationChallenge.maxChallenges {
            skipBlanks(andCommas: true)
            guard let scheme = token() else { break }
            var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
            let isSound = read(into: &challenge)
            if isSound { found.append(challenge) } else { break }
        }
        return found
    }

    /// Reads the rest of a challenge; false if it can't be parsed.
    private mutating func read(into challenge: inout AuthenticationChallenge) -> Bool {
        guard rest.first.map(HTTPByte.isBlank) ?? false else {
            return rest.isEmpty || rest.first == UInt8(ascii: ",")
        }
        skipBlanks()
        if let token = token68() {
            challenge.token = token
            return true
        }
        while true {
            skipBlanks(andCommas: true)
            let start = rest
            guard let name = token() else { return rest.isEmpty }
            skipBlanks()
            guard take(UInt8(ascii: "=")) else {
                rest = start
                return true
            }
            skipBlanks()
            guard let value = quotedString() ?? token() else { return false }
            skipBlanks()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return false }
            let key = name.lowercased()
            guard challenge.parameters[key] == nil else { continue }
            guard challenge.parameters.count < AuthenticationChallenge.maxParameters else { return false }
            challenge.parameters[key] = value
        }
    }

    /// Nil if the next text is no token68; then no input is consumed.
    private mutating func token68() -> String? {
        let body = rest.prefix { byte in
            HTTPByte.isDigit(byte) || byte | 0x20 &- 0x61 < 26 && byte > 0x40 || "-._~+/".utf8.contains(byte)
        }
        guard !body.isEmpty else { return nil }
        let padding = rest[body.endIndex...].prefix { $0 == UInt8(ascii: "=") }
        let after = rest[padding.endIndex...].drop(while: HTTPByte.isBlank)
        guard after.isEmpty || after.first == UInt8(ascii: ",") else { return nil }
        rest = after
        return String(decoding: body + padding, as: UTF8.self)
    }

    private mutating func token() -> String? {
        let name = rest.prefix(while: HTTPByte.isToken)
        guard !name.isEmpty else { return nil }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func quotedString() -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var value: [UInt8] = []
        var index = rest.startIndex + 1
        while index < rest.endIndex {
            switch rest[index] {
            case UInt8(ascii: "\""):
                rest = rest[(index + 1)...]
                return String(validating: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                guard index < rest.endIndex else { return nil }
                value.append(rest[index])
            default: value.append(rest[index])
            }
            index += 1
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipBlanks(andCommas: Bool = false) {
        rest = rest.drop { HTTPByte.isBlank($0) || andCommas && $0 == UInt8(ascii: ",") }
    }
}
