import Gateway
import RestEngine

/// What a client may ask "still the same?" with (RFC 9110 8.8 and 13.1).
struct FixtureValidators {
    let etag: String
    let lastModified: String

    init(_ bytes: [UInt8], modified: Int) {
        etag = Self.etag(of: bytes)
        lastModified = HTTPDate.text(unixSeconds: modified)
    }

    /// The content's FNV-1a hash and its length.
    static func etag(of bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + FixtureHex.text(of: hash) + "-\(bytes.count)\""
    }

    /// True when the client has it. If-Modified-Since counts only without If-None-Match, and by equality.
    func isCurrent(_ headers: Headers) -> Bool {
        guard let tags = headers["If-None-Match"] else { return headers["If-Modified-Since"] == lastModified }
        return tags.split(separator: ",").contains { part in
            var tag = part.drop(while: \.isWhitespace)
            while tag.last?.isWhitespace == true { tag.removeLast() }
            if tag.hasPrefix("W/") { tag.removeFirst(2) }
            return tag == "*" || tag == etag
        }
    }
}
