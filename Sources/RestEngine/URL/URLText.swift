import Platform

/// A URL kept as its text, which is its identity (2.1, D21): scheme and host are in lower case, a default
/// port is dropped, an empty path after a host is `/`, and non-ASCII characters are percent-encoded. The rest
/// is unchanged.
///
/// Relative text such as `./foo` is kept as well (1.9); see `isAbsolute` and `isHTTP`.
public struct URLText: Sendable, Hashable, CustomStringConvertible {
    /// One reference instead of a hundred bytes, because URLs are passed on from step to step.
    private let storage: Storage

    private final class Storage: Sendable {
        let string: String
        let offsets: URLOffsets
        let isHTTP: Bool

        init(_ reference: URLReference) {
            (string, offsets) = URLOffsets.assemble(reference)
            let scheme = string.utf8.prefix(offsets.schemeEnd)
            isHTTP =
                offsets.hasAuthority && offsets.hostEnd > offsets.hostStart && offsets.isHostPlain
                && (scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8))
        }
    }

    /// The whole URL as text.
    public var string: String { storage.string }
    var offsets: URLOffsets { storage.offsets }

    /// Nil for text that is no URL: the empty text, control characters, spaces, a malformed host or port.
    public init?(_ text: String) {
        guard !text.isEmpty, let reference = URLReference(text) else { return nil }
        self.init(reference)
    }

    init(_ reference: URLReference) {
        storage = Storage(reference)
    }

    public var description: String { string }

    public static func == (a: URLText, b: URLText) -> Bool {
        a.storage === b.storage || a.string == b.string
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension URLText {
    /// In lower case, without its colon.
    public var scheme: String? {
        offsets.schemeEnd > 0 ? text(0, offsets.schemeEnd) : nil
    }

    /// In lower case; an IPv6 address is in its brackets (RFC 3986 3.2.2).
    public var host: String? {
        offsets.hasAuthority ? text(offsets.hostStart, offsets.hostEnd) : nil
    }

    /// As written; nil if it is absent or the default of the scheme.
    public var port: Int? { offsets.port.map(Int.init) }

    /// Percent-encoded, as in the URL.
    public var path: String { text(offsets.pathStart, offsets.pathEnd) }

    /// Without its `?`; an empty query differs from none.
    public var query: String? {
        offsets.hasQuery ? text(offsets.pathEnd + 1, offsets.queryEnd) : nil
    }

    /// Without its `#`; an empty fragment differs from none.
    public var fragment: String? {
        offsets.hasFragment ? text(offsets.queryEnd + 1, string.utf8.count) : nil
    }

    /// `scheme://host[:port]`, without userinfo (RFC 6454 6.2); nil without scheme or host.
    public var origin: String? {
        guard let scheme, let host, !host.isEmpty else { return nil }
        return port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
    }

    package var isAbsolute: Bool { offsets.schemeEnd > 0 }

    /// Whether it can be requested: http or https, with a host whose name is ASCII.
    package var isHTTP: Bool { storage.isHTTP }

    static let schemeOfServices = "resthost"

    /// Whether it belongs to a service without an API; see ``BaseURL/init(ofServiceNamed:)``.
    var isOfService: Bool { scheme == Self.schemeOfServices }

    /// Whether its path has a segment `.` or `..` in any encoding, which some server would follow (D31).
    var hasDotSegment: Bool { PathText.hasDotSegment(slice(offsets.pathStart, offsets.pathEnd)) }

    /// A URL from elsewhere, for scripts: without user and password, which a redirect may contain.
    package static func withoutUserInfo(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")), let colon = text.firstRange(of: "://") else {
            return text
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(text[..<colon.upperBound] + rest[rest.index(after: at)...])
    }

    /// Replaces each escaped slash, also a repeatedly escaped one, by a slash; nil if there is none.
    package var withOpenSlashes: URLText? {
        guard string.utf8.contains(.percent) else { return nil }
        let opened = string.replacing(/%(?:25)*2[Ff]/, with: "/")
        return opened == string ? nil : URLText(opened)
    }

    /// The part that globs match: without query and fragment (14.9, D20).
    var withoutQuery: Substring.UTF8View {
        slice(0, offsets.pathEnd)
    }

    func slice(_ start: Int, _ end: Int) -> Substring.UTF8View {
        let utf8 = string.utf8
        let first = utf8.index(utf8.startIndex, offsetBy: start)
        return utf8[first..<utf8.index(first, offsetBy: end - start)]
    }

    private func text(_ start: Int, _ end: Int) -> String {
        String(Substring(slice(start, end)))
    }
}

extension URLText {
    /// The parts, for a change and a new assembly.
    var reference: URLReference {
        let bytes = Array(string.utf8)
        var authority: URLAuthority?
        if offsets.hasAuthority {
            let start = offsets.schemeEnd > 0 ? offsets.schemeEnd + 3 : 2
            authority = URLAuthority(
                userinfo: offsets.hostStart > start ? Array(bytes[start..<(offsets.hostStart - 1)]) : nil,
                host: Array(bytes[offsets.hostStart..<offsets.hostEnd]),
                port: offsets.port == nil ? nil : Array(bytes[(offsets.hostEnd + 1)..<offsets.pathStart]),
                portNumber: offsets.port)
        }
        return URLReference(
            scheme: offsets.schemeEnd > 0 ? Array(bytes[..<offsets.schemeEnd]) : nil,
            authority: authority,
            path: bytes[offsets.pathStart..<offsets.pathEnd],
            query: offsets.hasQuery ? bytes[(offsets.pathEnd + 1)..<offsets.queryEnd] : nil,
            fragment: offsets.hasFragment ? bytes[(offsets.queryEnd + 1)...] : nil)
    }
}

extension URLText {
    /// Appends text to the path (1.8, 3.1–3.4): one leading slash is ignored, a joining slash is added if
    /// there is none, and the rest is path text, escaped as by `PercentEncoding.path` and never parsed as a
    /// URL. Query and fragment are kept.
    package func appendingPath(_ text: String) -> URLText {
        var reference = reference
        var path = Array(reference.path)
        if path.last != .slash { path.append(.slash) }
        let utf8 = text.utf8
        path += PercentEncoding.encode(utf8.first == .slash ? utf8.dropFirst() : utf8[...], keeping: .path)
        reference.path = path[...]
        return URLText(reference)
    }

    /// A URL below this one (3.4); empty text gives a trailing slash. Nil if the text has a segment `.` or
    /// `..`, decoded or not, which some server would follow (D31).
    package func child(_ text: String) -> URLText? {
        PathText.hasDotSegment(text) ? nil : appendingPath(text)
    }
}
