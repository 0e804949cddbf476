import RestEngine

/// What a request's target asks for.
enum RequestTarget: Equatable {
    /// `/-/name?query`.
    case host(name: String, query: String?)
    case resource(ResourcePath)
    /// `*`.
    case server
    case nothing

    init(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        if text == "*" {
            self = .server
            return
        }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = segments.first, !first.isEmpty, text.hasPrefix("/") else {
            self = .nothing
            return
        }
        let rest = segments.count > 1 ? String(segments[1]) : ""
        let query = parts.count > 1 ? String(parts[1]) : nil
        guard first != "-" else {
            self = .host(name: rest, query: query)
            return
        }
        self = .resource(
            ResourcePath(
                service: PercentEncoding.decode(String(first)) ?? String(first), path: rest,
                query: query))
    }
}

/// A resource as a client names it: still escaped, ASCII only, not yet checked.
struct ResourcePath: Sendable, Hashable {
    var service: String
    /// Behind the slash that ends the service's name.
    var path: String
    var query: String?
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
