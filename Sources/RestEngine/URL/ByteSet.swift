/// A set of ASCII bytes. The names are those of the grammar in RFC 3986, appendix A.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: String) {
        for byte in bytes.utf8 {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte & 63) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: low & 1 << byte != 0
        case 64..<128: high & 1 << (byte & 63) != 0
        default: false
        }
    }

    static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    static let unreserved = letters + "0123456789-._~"

    static let scheme = ByteSet(letters + "0123456789+-.")
    static let path = ByteSet(unreserved + "!$&'()*+,;=" + ":@/")
    static let parameter = ByteSet(unreserved + "!$'()*,;" + ":@/?")
    static let component = ByteSet(unreserved)
    static let form = ByteSet(unreserved + "/?")
    static let userinfo = ByteSet(unreserved + "!$&'()*+,;=" + ":%")
    static let registeredName = ByteSet(unreserved + "!$&'()*+,;=" + "%")
    static let escapedInLinkPath = ByteSet(" \"<>`{}")
    static let escapedInLinkQuery = ByteSet(" \"<>")
    static let escapedInLinkFragment = ByteSet(" \"<>`")
    static let addressLiteral = ByteSet(unreserved + ":%")
}

extension UInt8 {
    static let slash = UInt8(ascii: "/")
    static let percent = UInt8(ascii: "%")
    static let question = UInt8(ascii: "?")
    static let hash = UInt8(ascii: "#")
    static let colon = UInt8(ascii: ":")
    static let at = UInt8(ascii: "@")
    static let star = UInt8(ascii: "*")
    static let dot = UInt8(ascii: ".")

    var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
