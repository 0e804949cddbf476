import Platform

/// The five parts of a URL or a relative reference (RFC 3986, appendix B), not yet normalised.
struct URLReference {
    var scheme: [UInt8]?
    var authority: URLAuthority?
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?
    var fragment: ArraySlice<UInt8>?

    init(
        scheme: [UInt8]?, authority: URLAuthority?, path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?,
        fragment: ArraySlice<UInt8>?
    ) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
        self.fragment = fragment
    }

    /// Any text is a reference, unless it has a control character, a space, or a malformed authority.
    /// Non-ASCII characters are percent-encoded as UTF-8.
    ///
    /// - Parameter isLink: Spaces around it are dropped; spaces in its path, query and fragment are escaped,
    ///   and so are other characters that a browser escapes there
    ///   (https://url.spec.whatwg.org/#percent-encoded-bytes; D32).
    init?(_ text: String, isLink: Bool = false) {
        guard let bytes = Self.ascii(text, keepsSpaces: isLink) else { return nil }
        self.init(ascii: isLink ? Self.trimmed(bytes) : bytes)
        guard isLink else { return }
        path = Self.escape(path, .escapedInLinkPath)
        query = query.map { Self.escape($0, .escapedInLinkQuery) }
        fragment = fragment.map { Self.escape($0, .escapedInLinkFragment) }
    }

    private init?(ascii bytes: [UInt8]) {
        var rest = bytes[...]
        if let end = Self.schemeEnd(bytes) {
            scheme = bytes[..<end].map(\.asciiLowercased)
            rest = bytes[(end + 1)...]
        }
        if let hash = rest.firstIndex(of: .hash) {
            fragment = rest[(hash + 1)...]
            rest = rest[..<hash]
        }
        if let question = rest.firstIndex(of: .question) {
            query = rest[(question + 1)...]
            rest = rest[..<question]
        }
        if rest.starts(with: [.slash, .slash]) {
            let start = rest.startIndex + 2
            let end = rest[start...].firstIndex(of: .slash) ?? rest.endIndex
            guard let parsed = URLAuthority(rest[start..<end], scheme: scheme) else { return nil }
            authority = parsed
            rest = rest[end...]
        }
        path = rest
    }

    /// The index of the colon that ends a scheme (RFC 3986 3.1).
    static func schemeEnd(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first.isASCIILetter,
            let end = bytes.firstIndex(where: { !ByteSet.scheme.contains($0) }), bytes[end] == .colon
        else { return nil }
        return end
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.firstIndex { $0 != 0x20 } ?? bytes.count
        let end = bytes.lastIndex { $0 != 0x20 } ?? start - 1
        return Array(bytes[start..<(end + 1)])
    }

    private static func escape(_ part: ArraySlice<UInt8>, _ escaped: ByteSet) -> ArraySlice<UInt8> {
        guard part.contains(where: escaped.contains) else { return part }
        var bytes: [UInt8] = []
        for byte in part {
            if escaped.contains(byte) { PercentEncoding.append(byte, to: &bytes) } else { bytes.append(byte) }
        }
        return bytes[...]
    }

    private static func ascii(_ text: String, keepsSpaces: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20 where keepsSpaces: bytes.append(byte)
            case 0...0x20, 0x7F: return nil
            case 0x80...: PercentEncoding.append(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
