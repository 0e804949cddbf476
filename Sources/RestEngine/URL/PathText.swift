/// Paths that strangers ask for, before they become path text below a base URL.
public enum PathText {
    /// True for text that some server or proxy could read as leaving the base: a `..` segment, a second
    /// leading slash, a URL, a backslash or a control character — plain or escaped, however often.
    public static func escapesBase(_ text: String) -> Bool {
        let bytes = fullyDecoded(text.utf8)
        if bytes.starts(with: [.slash, .slash]) { return true }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) { return true }
        let path = Array(bytes.first == .slash ? bytes.dropFirst() : bytes[...])
        if let colon = URLReference.schemeEnd(path), path[(colon + 1)...].first == .slash { return true }
        return path.split(separator: .slash).contains { segment in
            // Some servers take `..;x` for `..` (path parameters, RFC 3986 3.3).
            segment.prefix { $0 != UInt8(ascii: ";") }.elementsEqual([.dot, .dot])
        }
    }

    /// Decodes until nothing is left to decode, in one pass: each decoded byte may complete an escape before
    /// it.
    private static func fullyDecoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text {
            bytes.append(byte)
            while bytes.count >= 3, bytes[bytes.count - 3] == .percent,
                let decoded = PercentEncoding.hexPair(bytes.suffix(2))
            {
                bytes.removeLast(3)
                bytes.append(decoded)
            }
        }
        return bytes
    }
}
