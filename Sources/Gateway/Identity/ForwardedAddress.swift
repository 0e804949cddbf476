import RestEngine

/// The address of a client behind proxies, as they state it in `Forwarded` (RFC 7239) or `X-Forwarded-For`.
enum ForwardedAddress {
    /// The last address that no trusted proxy has, from the right: each proxy adds the one that it saw. Nil
    /// if the fields give none, and the address of the connection counts.
    ///
    /// `Forwarded` takes precedence.
    static func client(_ fields: RequestFields, _ proxies: TrustedProxies) -> NetworkAddress? {
        guard let nodes = nodes(fields) else { return nil }
        var last: NetworkAddress?
        for node in nodes.reversed() {
            // A proxy that hides an address hides all before it, which may be made up.
            guard let address = address(ofNode: node) else { return last }
            last = address
            if !proxies.contains(address) { return address }
        }
        return last
    }

    /// Nil without such fields.
    private static func nodes(_ fields: RequestFields) -> [Substring]? {
        if let forwarded = fields["forwarded"] {
            return pieces(forwarded[...], at: UInt8(ascii: ",")).map { element in
                for pair in pieces(element, at: UInt8(ascii: ";")) {
                    let pair = trimmed(pair)
                    guard pair.utf8.count > 4, pair.prefix(4).lowercased() == "for=" else { continue }
                    return unquoted(pair.dropFirst(4))
                }
                return ""
            }
        }
        return fields["x-forwarded-for"].map {
            split($0[...], at: UInt8(ascii: ",")).map(trimmed)
        }
    }

    /// The parts between separators that are in no quoted string (RFC 9110 5.6.4). If a client has left a
    /// string open, no string counts: it must not swallow what a proxy adds behind it.
    private static func pieces(_ text: Substring, at separator: UInt8) -> [Substring] {
        var pieces: [Substring] = []
        var (start, isQuoted, isEscaped) = (text.startIndex, false, false)
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == separator {
                pieces.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
        }
        return isQuoted ? split(text, at: separator) : pieces + [text[start...]]
    }

    /// By bytes: a character may consist of a separator and what stands beside it.
    private static func split(_ text: Substring, at separator: UInt8) -> [Substring] {
        text.utf8.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var bytes = text.utf8.drop(while: HTTPByte.isBlank)
        while let last = bytes.last, HTTPByte.isBlank(last) { bytes.removeLast() }
        return Substring(bytes)
    }

    /// No address needs an escape.
    private static func unquoted(_ text: Substring) -> Substring {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        return text.dropFirst().dropLast()
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80` (RFC 7239 6). Nil
    /// for `unknown`, for a made-up name, and for anything else.
    static func address(ofNode node: Substring) -> NetworkAddress? {
        if node.first == "[" {
            guard let end = node.firstIndex(of: "]"), isPort(node[node.index(after: end)...]) else {
                return nil
            }
            let address = NetworkAddress(node[node.index(after: node.startIndex)..<end])
            return address
        }
        guard let colon = node.firstIndex(of: ":"), node.lastIndex(of: ":") == colon else {
            return NetworkAddress(node)
        }
        return isPort(node[colon...]) ? NetworkAddress(node[..<colon]) : nil
    }

    /// Empty, or a colon with a port or with a name for one.
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        return (1...16).contains(text.utf8.count - 1)
            && text.dropFirst().allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))
            }
    }
}
