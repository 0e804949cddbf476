import Platform

/// The positions of the parts of a URL in its text, in bytes.
struct URLOffsets: Sendable, Equatable {
    /// The index of the scheme's colon; 0 if there is none.
    var schemeEnd = 0
    var hasAuthority = false
    var hostStart = 0
    var hostEnd = 0
    /// Whether the host is an address, or a name without escaped letters.
    var isHostPlain = true
    var port: UInt16?
    var pathStart = 0
    var pathEnd = 0
    var queryEnd = 0
    var hasQuery = false
    var hasFragment = false

    /// Writes the text of a reference (RFC 3986 5.3).
    static func assemble(_ reference: URLReference) -> (String, URLOffsets) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reference.path.count + (reference.query?.count ?? 0) + 64)
        var offsets = URLOffsets()
        if let scheme = reference.scheme {
            bytes += scheme
            offsets.schemeEnd = bytes.count
            bytes.append(.colon)
        }
        if let authority = reference.authority {
            offsets.append(authority, to: &bytes)
        }
        offsets.pathStart = bytes.count
        bytes += disambiguation(of: reference)
        bytes += reference.path
        offsets.pathEnd = bytes.count
        if let query = reference.query {
            offsets.hasQuery = true
            bytes.append(.question)
            bytes += query
        }
        offsets.queryEnd = bytes.count
        if let fragment = reference.fragment {
            offsets.hasFragment = true
            bytes.append(.hash)
            bytes += fragment
        }
        return (String(decoding: bytes, as: UTF8.self), offsets)
    }

    private mutating func append(_ authority: URLAuthority, to bytes: inout [UInt8]) {
        hasAuthority = true
        bytes += [.slash, .slash]
        if let userinfo = authority.userinfo {
            bytes += userinfo
            bytes.append(.at)
        }
        hostStart = bytes.count
        bytes += authority.host
        hostEnd = bytes.count
        isHostPlain = authority.host.first == UInt8(ascii: "[") || !authority.host.contains(.percent)
        if let digits = authority.port {
            bytes.append(.colon)
            bytes += digits
        }
        port = authority.portNumber
    }

    /// The prefix that prevents another reading of a path: an empty path after a host becomes `/` (D21), a
    /// path that begins with `//` is no host, and a first segment with a colon is no scheme (RFC 3986 4.2).
    private static func disambiguation(of reference: URLReference) -> [UInt8] {
        let path = reference.path
        guard reference.authority == nil else {
            return path.isEmpty ? [.slash] : []
        }
        if path.starts(with: [.slash, .slash]) { return [.slash, .dot] }
        if reference.scheme == nil, URLReference.schemeEnd(Array(path)) != nil { return [.dot, .slash] }
        return []
    }
}
