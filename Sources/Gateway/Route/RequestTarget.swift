import RestEngine

/// What a request's target asks for.
enum RequestTarget: Equatable {
    /// `/-/name`.
    case host(name: String)
    case resource(ResourcePath)
    case nothing

    init(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = segments.first, !first.isEmpty, text.hasPrefix("/") else {
            self = .nothing
            return
        }
        let rest = segments.count > 1 ? String(segments[1]) : ""
        guard first != "-" else {
            self = .host(name: rest)
            return
        }
        self = .resource(
            ResourcePath(
                service: PercentEncoding.decode(String(first)) ?? String(first), path: rest,
                query: parts.count > 1 ? String(parts[1]) : nil))
    }
}

/// A resource as a client names it: still escaped, ASCII only, not yet checked.
struct ResourcePath: Sendable, Hashable {
    var service: String
    /// Behind the slash that ends the service's name.
    var path: String
    var query: String?
}
