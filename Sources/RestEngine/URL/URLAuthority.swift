/// The authority of a URL (RFC 3986 3.2): host in lower case, a default port dropped (D21).
struct URLAuthority {
    var userinfo: [UInt8]?
    /// With its brackets if it is an IP literal.
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
            guard rest[..<end].allSatisfy(ByteSet.registeredName.contains) else { return nil }
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

    static func defaultPort(of scheme: [UInt8]?) -> UInt16? {
        switch scheme {
        case Array("http".utf8): 80
        case Array("https".utf8): 443
        default: nil
        }
    }
}
