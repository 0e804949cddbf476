package import RestEngine

/// A JSON pointer (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    package var tokens: [String]

    /// Texts beyond it are refused.
    package static let mostBytes = 64 << 10

    package init(tokens: [String] = []) { self.tokens = tokens }

    /// Reads `/a~1b/0`; the empty text is the whole value.
    package init(_ text: String) throws(JSONToolsError) {
        guard text.utf8.count <= Self.mostBytes else {
            throw JSONToolsError("the pointer has more than \(Self.mostBytes / 1024) KiB")
        }
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw JSONToolsError(
                "the pointer '\(text.shortened)' doesn't begin with '/': write '/\(text.shortened)'")
        }
        tokens = []
        for part in text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let token = Self.unescape(part) else {
                throw JSONToolsError(
                    "the pointer '\(text.shortened)' has a '~' that isn't '~0' or '~1': write '~0' for '~'")
            }
            tokens.append(token)
        }
    }

    /// Nil for a `~` without 0 or 1.
    private static func unescape(_ part: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in part {
            if isEscaped {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
                bytes.append(UInt8(ascii: byte == UInt8(ascii: "0") ? "~" : "/"))
                isEscaped = false
            } else if byte == UInt8(ascii: "~") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// One token as it is written in a pointer.
    static func escape(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return token
        }
        var bytes: [UInt8] = []
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes += "~0".utf8
            case UInt8(ascii: "/"): bytes += "~1".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value there; nil if there is none.
    package func value(in tree: Tree) -> Tree? {
        var value = tree
        for token in tokens {
            let next =
                switch value.kind {
                case .object: value[token]
                case .array: Self.index(token).flatMap { value[$0] }
                default: nil as Tree?
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// The index that a token names; nil for one with a leading zero or another sign.
    package static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}

extension JSONPointer: CustomStringConvertible {
    package var description: String { tokens.map { "/" + Self.escape($0) }.joined() }
}

extension String {
    /// The beginning of a long text, for messages.
    var shortened: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }
}
