import Platform

/// The base URL of a service: a URL whose path ends in a slash (1.2).
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL, which ends with a slash.
    public let url: URLText

    /// Throws for text that is no http or https URL. This differs from 1.1, where such a service silently has
    /// no base: pass no base URL for that.
    public init(_ text: String) throws(BaseURLError) {
        guard let url = URLText(text), url.isHTTP else { throw BaseURLError(text: text) }
        self.init(url)
    }

    /// Adds a slash to the path if it lacks one; the query is kept.
    package init(_ url: URLText) {
        self.url = url.path.utf8.last == .slash ? url : url.appendingPath("")
    }

    /// The base of the paths of a service without an API: `resthost://NAME/`, or `resthost://-/NAME/` with a
    /// name that can't be a host.
    init(ofServiceNamed name: String) {
        let escaped = PercentEncoding.component(Array(name.utf8))
        let scheme = URLText.schemeOfServices
        let url = URLText("\(scheme)://\(escaped)/") ?? URLText("\(scheme)://-/\(escaped)/")
        guard let url else { preconditionFailure("an escaped name is valid in a URL") }
        self.init(url)
    }

    public var description: String { url.string }

    /// The URL of a path resource (3.1); the empty path is the base itself.
    package func resource(_ path: String) -> URLText { url.appendingPath(path) }

    /// Whether the URL is the base, or below it.
    func holds(_ other: URLText) -> Bool { other.withoutQuery.starts(with: url.withoutQuery) }

    /// Whether a link on a page below the base leaves it by its dot segments (D31). Whole URLs and paths from
    /// the root do not count, because they state their target openly.
    func isLeft(by href: String, from page: URLText, to target: URLText) -> Bool {
        guard let reference = URLReference(href, isLink: true), reference.scheme == nil,
            reference.authority == nil, reference.path.first != .slash
        else { return false }
        return PathText.hasDotSegment(reference.path) && holds(page) && !holds(target)
    }
}

/// The reason why a text can't be a base URL.
public struct BaseURLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text as given.
    public let text: String

    public var description: String {
        URLText.adviceOnHost(of: text).map { "'\(text)' is not a URL: \($0)" }
            ?? "'\(text)' is not a URL: it looks like \"https://api.example.com/v1\""
    }
}

extension URLText {
    /// Advice for a text that is no URL to request because the name of its host is not ASCII (RFC 5890
    /// 2.3.2.1), as it was written or escaped.
    static func adviceOnHost(of text: String) -> String? {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { !"/?#\\".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard host.first != "[", host.contains(where: { !$0.isASCII || $0 == "%" }) else { return nil }
        return "its host has letters beyond ASCII: write the name in its ASCII form, which has xn--"
    }
}

extension URLText {
    /// Follows an href like a link in a page at this URL (3.5, RFC 3986 5). Blanks, and other characters that
    /// a browser escapes, are escaped (D32). Nil for text that is no URL. The empty href is this URL without
    /// its fragment.
    package func relative(_ href: String) -> URLText? {
        URLReference(href, isLink: true).map { URLText($0.resolved(against: reference)) }
    }

    /// As ``relative(_:)``, but nil for nil (3.6).
    package func optionalRelative(_ href: String?) -> URLText? {
        href.flatMap(relative)
    }
}

extension URLReference {
    /// RFC 3986 5.2.2, strict.
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil {
            target.path = path.removingDotSegments()
            return target
        }
        target.scheme = base.scheme
        if let authority {
            // Only now is it known whether a port is the default.
            target.authority = authority.droppingDefaultPort(of: base.scheme)
            target.path = path.removingDotSegments()
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.first == .slash {
            target.path = path.removingDotSegments()
        } else {
            target.path = merged(with: base).removingDotSegments()
        }
        return target
    }

    /// RFC 3986 5.2.3.
    private func merged(with base: URLReference) -> ArraySlice<UInt8> {
        if base.authority != nil, base.path.isEmpty { return [.slash] + path }
        guard let last = base.path.lastIndex(of: .slash) else { return path }
        return base.path[...last] + path
    }
}

extension URLAuthority {
    func droppingDefaultPort(of scheme: [UInt8]?) -> URLAuthority {
        guard let portNumber, portNumber == Self.defaultPort(of: scheme) else { return self }
        return URLAuthority(userinfo: userinfo, host: host, port: nil, portNumber: nil)
    }
}

extension ArraySlice<UInt8> {
    /// RFC 3986 5.2.4, on segments instead of text.
    func removingDotSegments() -> ArraySlice<UInt8> {
        let isRooted = first == .slash
        let segments = (isRooted ? dropFirst() : self).split(
            separator: .slash, omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isParent = segment.elementsEqual([.dot, .dot])
            if isParent {
                _ = kept.popLast()
            } else if !segment.elementsEqual([.dot]) {
                kept.append(segment)
                continue
            }
            // A final `.` or `..` leaves its slash.
            if index == segments.count - 1 { kept.append([]) }
        }
        return (isRooted ? [.slash] : []) + kept.joined(separator: [.slash])
    }
}
