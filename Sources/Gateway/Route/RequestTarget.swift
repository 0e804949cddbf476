import RestEngine

/// The parsed target of a request.
enum RequestTarget: Equatable {
    /// `/-/name?query`.
    case host(name: String, query: String?)
    case resource(ResourcePath)
    /// `*`, which only OPTIONS may have (RFC 9110 9.3.7).
    case server
    case nothing

    init(_ bytes: UnsafeRawBufferPointer) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        // Byte by byte, because each request that isn't answered at once comes through here.
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        let slash = bytes[..<end].dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? end
        guard bytes.first == UInt8(ascii: "/"), slash > 1 else {
            self = bytes.count == 1 && bytes[0] == UInt8(ascii: "*") ? .server : .nothing
            return
        }
        let rest = slash < end ? text(slash + 1..<end) : ""
        let query = end < bytes.count ? text(end + 1..<bytes.count) : nil
        let first = text(1..<slash)
        guard first != "-" else {
            self = .host(name: rest, query: query)
            return
        }
        let isEscaped = bytes[1..<slash].contains(UInt8(ascii: "%"))
        self = .resource(
            ResourcePath(
                service: isEscaped ? PercentEncoding.decode(first) ?? first : first, path: rest,
                query: query))
    }
}

/// A resource in the client's words: still escaped, ASCII only, not yet checked.
struct ResourcePath: Sendable, Hashable {
    var service: String
    /// The path behind the slash that ends the service's name.
    var path: String
    var query: String?
    /// See ``RestEngine/Resource/partition``.
    var partition: String?
}

extension ResourcePath {
    /// From `/path?query`, whose first slash may be missing.
    init(service: String, target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            service: service, path: String(parts[0].hasPrefix("/") ? parts[0].dropFirst() : parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension ResourcePath {
    /// The URL of a valid path; see ``RestEngine/PathText/validationError(to:)``.
    ///
    /// Escapes of reserved characters stay, because `a%2Fb` is one segment, and `a%2Bb` is not `a+b` (RFC
    /// 3986 2.2). Without such escapes the result is what ``Service/resource(_:)`` makes of the decoded path,
    /// so that both name the same resource.
    func upstreamURL(below base: BaseURL) -> URLText? {
        var text = String(base.url.string.prefix { $0 != "?" && $0 != "#" })
        text += path.split(separator: "/", omittingEmptySubsequences: false).map(Self.canonical).joined(
            separator: "/")
        // The texts of the base's query and of the client's query stay exactly the same; only the order
        // changes (D19).
        let queries = [base.url.query, query].compactMap { $0 }.filter { !$0.isEmpty }
        if !queries.isEmpty { text += "?" + queries.joined(separator: "&") }
        return URLText(text)?.withParams([])
    }

    /// One spelling for each segment.
    private static func canonical(_ segment: Substring) -> String {
        PercentEncoding.normalized(segment: Array(segment.utf8))
    }

    /// The upstream's URL for the client: without user info, and with only the query that the client sent.
    /// The rest may be secrets that the configuration added.
    func visible(_ url: String) -> String? {
        guard let url = URLText(url), let origin = url.origin else { return nil }
        let own = Set((query ?? "").split(separator: "&").map(String.init))
        let parameters = url.parameters.map { own.contains($0.text) ? $0.text : $0.rawName + "=***" }
        return origin + url.path + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}
