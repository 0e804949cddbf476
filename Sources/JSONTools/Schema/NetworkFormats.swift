/// Addresses, names and identifiers of the net.
enum NetworkFormats {
    typealias Bytes = Substring.UTF8View

    // MARK: Mail

    /// An address as RFC 5321 has it.
    static func isEmail(_ text: String, isInternational: Bool) -> Bool {
        let bytes = text.utf8[...]
        guard bytes.count <= 320, let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return isLocalPart(bytes[..<at], isInternational)
            && isMailDomain(bytes[bytes.index(after: at)...], isInternational)
    }

    private static func isLocalPart(_ bytes: Bytes, _ isInternational: Bool) -> Bool {
        if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
            var isEscaped = false
            for byte in bytes.dropFirst().dropLast() {
                if byte < 0x20 || byte > 0x7E && !isInternational { return false }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\"") {
                    return false
                } else {
                    isEscaped = byte == UInt8(ascii: "\\")
                }
            }
            return !isEscaped
        }
        let marks = Array("!#$%&'*+-/=?^_`{|}~".utf8)
        return !bytes.isEmpty
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                atom in
                !atom.isEmpty
                    && atom.allSatisfy {
                        $0.isLetterOrDigit || marks.contains($0) || isInternational && $0 > 0x7F
                    }
            }
    }

    private static func isMailDomain(_ bytes: Bytes, _ isInternational: Bool) -> Bool {
        guard bytes.first == UInt8(ascii: "[") else {
            return isHostname(String(Substring(bytes)), isInternational: isInternational)
        }
        guard bytes.last == UInt8(ascii: "]") else { return false }
        let inner = bytes.dropFirst().dropLast()
        if isIPv4(inner) { return true }
        return inner.starts(with: "IPv6:".utf8) && isIPv6(String(Substring(inner.dropFirst(5))))
    }

    /// Labels as RFC 1123 has them.
    static func isHostname(_ text: String, isInternational: Bool = false) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
                && label.allSatisfy {
                    $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || isInternational && $0 > 0x7F
                } && (isInternational || !hasReservedHyphens(label))
        }
    }

    /// Hyphens at the third and fourth place are for punycode (RFC 5891 4.2.3.1).
    private static func hasReservedHyphens(_ label: Bytes) -> Bool {
        label.dropFirst(2).starts(with: "--".utf8) && !label.starts(with: "xn".utf8)
            && !label.starts(with: "XN".utf8)
    }

    // MARK: Addresses

    static func isIPv4(_ bytes: Bytes) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(\.isDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    static func isIPv6(_ text: String) -> Bool {
        // Two colons stand for groups of zeros, once.
        let halves = text.utf8.indices.filter { text.utf8[$0...].starts(with: "::".utf8) }
        guard text.utf8.count <= 45, halves.count <= 1 else { return false }
        guard let gap = halves.first else { return groups(text.utf8[...]) == 8 }
        let (left, right) = (text.utf8[..<gap], text.utf8[gap...].dropFirst(2))
        guard let leftCount = left.isEmpty ? 0 : groups(left, mayEndWithIPv4: false),
            let rightCount = right.isEmpty ? 0 : groups(right)
        else { return false }
        return leftCount + rightCount <= 7
    }

    private static func groups(_ bytes: Bytes, mayEndWithIPv4: Bool = true) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (index, part) in parts.enumerated() {
            if (1...4).contains(part.count), part.allSatisfy(\.isHexadecimal) {
                count += 1
            } else if mayEndWithIPv4, index == parts.count - 1, isIPv4(part) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }

    // MARK: Identifiers

    /// RFC 3986; RFC 3987 if `isInternational`.
    static func isURI(_ text: String, isReference: Bool, isInternational: Bool) -> Bool {
        guard hasOnlyURICharacters(text.utf8, isInternational) else { return false }
        var rest = text.utf8[...]
        let colon = rest.firstIndex { ":/?#".utf8.contains($0) }
        if let colon, rest[colon] == UInt8(ascii: ":") {
            let scheme = rest[..<colon]
            let isScheme =
                scheme.first?.isLetter == true
                && scheme.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
            guard isScheme else { return false }
            rest = rest[rest.index(after: colon)...]
        } else if !isReference {
            return false
        }
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard !rest[rest.index(after: hash)...].contains(where: { "#[]".utf8.contains($0) }) else {
                return false
            }
            rest = rest[..<hash]
        }
        guard rest.starts(with: "//".utf8) else { return !rest.contains { "[]".utf8.contains($0) } }
        let authority = rest.dropFirst(2).prefix { !"/?".utf8.contains($0) }
        return isAuthority(authority)
            && !rest.dropFirst(2 + authority.count).contains { "[]".utf8.contains($0) }
    }

    private static func hasOnlyURICharacters(_ bytes: String.UTF8View, _ isInternational: Bool) -> Bool {
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(\.isHexadecimal) else {
                    return false
                }
            } else if byte > 0x7F {
                guard isInternational else { return false }
            } else if !byte.isLetterOrDigit, !"-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    private static func isAuthority(_ bytes: Bytes) -> Bool {
        let at = bytes.lastIndex(of: UInt8(ascii: "@"))
        if let at, bytes[..<at].contains(where: { "@[]".utf8.contains($0) }) { return false }
        var host = at.map { bytes[bytes.index(after: $0)...] } ?? bytes
        var port = host.suffix(0)
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            let inner = host[host.index(after: host.startIndex)..<end]
            let isFuture = inner.first.map { $0 | 0x20 == UInt8(ascii: "v") } ?? false
            guard isIPv6(String(Substring(inner))) || isFuture else { return false }
            port = host[host.index(after: end)...]
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            port = host[colon...]
            host = host[..<colon]
            if host.contains(where: { "[]".utf8.contains($0) }) { return false }
        } else if host.contains(where: { "[]".utf8.contains($0) }) {
            return false
        }
        return port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(\.isDigit)
    }

    /// RFC 6570: braces come in pairs, with a list of variables in them.
    static func isURITemplate(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "{") {
                let expression = rest.prefix { $0 != UInt8(ascii: "}") }
                rest = rest.dropFirst(expression.count)
                guard rest.popFirst() != nil, isExpression(expression) else { return false }
            } else if byte <= 0x20 || byte == 0x7F || "\"<>\\^`|}".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    private static func isExpression(_ bytes: Bytes) -> Bool {
        let list = bytes.first.map { "+#./;?&".utf8.contains($0) } == true ? bytes.dropFirst() : bytes
        return list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy {
            variable in
            var name = variable
            if name.last == UInt8(ascii: "*") {
                name = name.dropLast()
            } else if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
                let digits = name[name.index(after: colon)...]
                guard (1...4).contains(digits.count), digits.allSatisfy(\.isDigit),
                    digits.first != UInt8(ascii: "0")
                else { return false }
                name = name[..<colon]
            }
            return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                part in
                !part.isEmpty && part.allSatisfy { $0.isLetterOrDigit || "_%".utf8.contains($0) }
            }
        }
    }
}
