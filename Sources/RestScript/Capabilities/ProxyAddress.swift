/// A proxy as a script names it: `[scheme://][user:password@]host[:port]`. Text that libcurl could read in
/// another way is refused, so that the host that was checked is the host of the connection.
struct ProxyAddress {
    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// The host in lower case. An IPv6 address keeps its brackets.
    let host: String
    /// The default is the one of libcurl (CURLOPT_PROXY): 443 for https, else 1080.
    let port: Int

    init?(_ text: String) {
        var rest = text[...]
        var scheme = "http"
        if let mark = text.utf8.firstRange(of: "://".utf8) {
            scheme = text[..<mark.lowerBound].lowercased()
            rest = text[mark.upperBound...]
        }
        guard Self.schemes.contains(scheme) else { return nil }
        if rest.hasSuffix("/") { rest.removeLast() }
        if let at = rest.firstIndex(of: "@") {
            guard rest[..<at].utf8.allSatisfy(Self.isUserInfo) else { return nil }
            rest = rest[rest.index(after: at)...]
        }
        let end = rest.lastIndex(of: "]") ?? rest.startIndex
        var port = scheme == "https" ? 443 : 1080
        if let colon = rest[end...].lastIndex(of: ":") {
            let digits = rest[rest.index(after: colon)...]
            guard let number = Int(digits), (1...65535).contains(number),
                digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            port = number
            rest = rest[..<colon]
        }
        let isBracketed = rest.hasPrefix("[") && rest.hasSuffix("]")
        let name = isBracketed ? rest.dropFirst().dropLast() : rest
        guard !name.isEmpty, name.utf8.allSatisfy({ Self.isHost($0, isBracketed: isBracketed) }) else {
            return nil
        }
        host = rest.lowercased()
        self.port = port
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHost(_ byte: UInt8, isBracketed: Bool) -> Bool {
        isLetterOrDigit(byte) || (isBracketed ? ":." : ".-_").utf8.contains(byte)
    }

    /// A byte of the user info, by RFC 3986 3.2.1.
    private static func isUserInfo(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "-._~%!$&'()*+,;=:".utf8.contains(byte)
    }
}
