import Platform

/// A URL kept as its text, which is its identity (2.1, D21): scheme and host are in lower case, a default
/// port is dropped, an empty path after a host is `/`, and what is not ASCII is percent-encoded. Nothing else
/// is changed.
///
/// Relative text such as `./foo` is kept as well (1.9); see `isAbsolute` and `isHTTP`.
public struct URLText: Sendable, Hashable, CustomStringConvertible {
    /// One reference in place of a hundred bytes, for a URL is handed on from step to step.
    private let storage: Storage

    private final class Storage: Sendable {
        let string: String
        let offsets: URLOffsets
        let isHTTP: Bool

        init(_ reference: URLReference) {
            (string, offsets) = URLOffsets.assemble(reference)
            let scheme = string.utf8.prefix(offsets.schemeEnd)
            isHTTP =
                offsets.hasAuthority && offsets.hostEnd > offsets.hostStart
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

    /// As written; nil if absent or the scheme's own.
    public var port: Int? { offsets.port.map(Int.init) }

    /// Percent-encoded, as it is in the URL.
    public var path: String { text(offsets.pathStart, offsets.pathEnd) }

    /// Without its `?`; empty and absent differ.
    public var query: String? {
        offsets.hasQuery ? text(offsets.pathEnd + 1, offsets.queryEnd) : nil
    }

    /// Without its `#`; empty and absent differ.
    public var fragment: String? {
        offsets.hasFragment ? text(offsets.queryEnd + 1, string.utf8.count) : nil
    }

    /// `scheme://host[:port]`, without userinfo (RFC 6454 6.2); nil without scheme or host.
    public var origin: String? {
        guard let scheme, let host, !host.isEmpty else { return nil }
        return port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
    }

    public var isAbsolute: Bool { offsets.schemeEnd > 0 }

    /// It can be requested: http or https, with a host.
    public var isHTTP: Bool { storage.isHTTP }

    /// Its path has a segment `.` or `..`, however encoded, which some server would read as a way out (D31).
    var hasDotSegment: Bool { PathText.hasDotSegment(slice(offsets.pathStart, offsets.pathEnd)) }

    /// A URL as scripts see it that came from elsewhere: without user and password, which a redirect may
    /// bring.
    package static func withoutUserInfo(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")), let colon = text.firstRange(of: "://") else {
            return text
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(text[..<colon.upperBound] + rest[rest.index(after: at)...])
    }

    /// With a slash in place of each escaped one, however often it is escaped; nil without any.
    package var withOpenSlashes: URLText? {
        guard string.utf8.contains(.percent) else { return nil }
        let opened = string.replacing(/%(?:25)*2[Ff]/, with: "/")
        return opened == string ? nil : URLText(opened)
    }

    /// The part that globs look at: without query and fragment (14.9, D20).
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
    /// The parts, to be changed and assembled again.
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
    /// Appends text to the path (1.8, 3.1–3.4): one leading slash is ignored, a joining slash is put where
    /// there is none, all else is path text, escaped as `PercentEncoding.path` does and never read as a URL.
    /// Query and fragment are kept.
    public func appendingPath(_ text: String) -> URLText {
        var reference = reference
        var path = Array(reference.path)
        if path.last != .slash { path.append(.slash) }
        let utf8 = text.utf8
        path += PercentEncoding.encode(utf8.first == .slash ? utf8.dropFirst() : utf8[...], keeping: .path)
        reference.path = path[...]
        return URLText(reference)
    }

    /// A resource below this one (3.4); the empty text gives a trailing slash. Nil when the text, decoded or
    /// not, has a segment `.` or `..`, which some server would read as a way out (D31).
    public func child(_ text: String) -> URLText? {
        PathText.hasDotSegment(text) ? nil : appendingPath(text)
    }
}
