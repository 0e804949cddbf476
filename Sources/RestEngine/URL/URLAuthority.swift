import Platform

/// The authority of a URL (RFC 3986 3.2): host in lower case, a default port dropped (D21).
struct URLAuthority {
    var userinfo: [UInt8]?
    /// Includes the brackets of an IP literal.
    var host: [UInt8]
    var port: [UInt8]?
    var portNumber: UInt16?

    init(userinfo: [UInt8]?, host: [UInt8], port: [UInt8]?, portNumber: UInt16?) {
        self.userinfo = userinfo
        self.host = host
        self.port = port
        self.portNumber = portNumber
    }

    init?(_ text: ArraySlice<UInt8>, scheme: [UInt8]?) {
        var rest = text
        if let at = rest.lastIndex(of: .at) {
            let info = rest[..<at]
            guard info.allSatisfy(ByteSet.userinfo.contains) else { return nil }
            userinfo = Array(info)
            rest = rest[(at + 1)...]
        }
        let end: Int
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let address = rest[(rest.startIndex + 1)..<close]
            guard address.contains(.colon), address.allSatisfy(ByteSet.addressLiteral.contains) else {
                return nil
            }
            end = close + 1
        } else {
            end = rest.firstIndex(of: .colon) ?? rest.endIndex
            guard rest[..<end].allSatisfy(ByteSet.registeredName.contains), Self.isPlain(rest[..<end]) else {
                return nil
            }
        }
        host = rest[..<end].map(\.asciiLowercased)
        if end == rest.endIndex { return }
        guard rest[end] == .colon else { return nil }
        let digits = rest[(end + 1)...]
        // RFC 3986 6.2.3: an empty port is no port.
        if digits.isEmpty { return }
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        if number == Self.defaultPort(of: scheme) { return }
        port = Array(digits)
        portNumber = number
    }

    /// Whether all parsers read the name as the same host. Some decode an escaped `a`, and complete numbers:
    /// `127.1`, `0x7f.1` and `2130706433` are 127.0.0.1 for libcurl. Then the request would go to another
    /// host than the one that was checked.
    private static func isPlain(_ name: ArraySlice<UInt8>) -> Bool {
        for (index, byte) in zip(name.indices, name) where byte == .percent {
            guard let value = PercentEncoding.hexPair(name[(index + 1)...].prefix(2)), value >= 0x80 else {
                return false
            }
        }
        let rooted = name.last == .dot ? name.dropLast() : name
        let start = rooted.lastIndex(of: .dot).map { $0 + 1 } ?? rooted.startIndex
        guard isNumber(rooted[start...]) else { return true }
        let labels = name.split(separator: .dot, omittingEmptySubsequences: false)
        return labels.count == 4 && labels.allSatisfy(isOctet)
    }

    /// Decimal, octal or hexadecimal, as `inet_aton` reads it.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.count > 1, label.first == 0x30,
            label[label.startIndex + 1].asciiLowercased == UInt8(ascii: "x")
        {
            return label.dropFirst(2).allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0.asciiLowercased }
        }
        return !label.isEmpty && label.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// 0 to 255, in plain decimal form.
    private static func isOctet(_ label: ArraySlice<UInt8>) -> Bool {
        guard label.allSatisfy({ 0x30...0x39 ~= $0 }), label.count == 1 || label.first != 0x30 else {
            return false
        }
        return UInt8(String(decoding: label, as: UTF8.self)) != nil
    }

    static func defaultPort(of scheme: [UInt8]?) -> UInt16? {
        switch scheme {
        case Array("http".utf8): 80
        case Array("https".utf8): 443
        default: nil
        }
    }
}
