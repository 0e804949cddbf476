import Platform
package import RestEngine

/// A route that the gateway answers by itself, such as a function of a script.
package struct GatewayRoute: Sendable {
    package typealias Handler =
        @EngineActor @Sendable (
            ServedRequest, @escaping @EngineActor (Result<Entity, RequestError>) -> Void
        ) -> Void

    package var method: String
    /// Segments behind slashes. `{name}` stands for any segment, `{name*}` at the end for all remaining ones.
    package var template: String
    /// Seconds for which an answer to GET is kept; nil: each request gets its own.
    package var expirationSeconds: Double?
    package var handler: Handler

    package init(method: String, template: String, expirationSeconds: Double?, handler: @escaping Handler) {
        self.method = method
        self.template = template
        self.expirationSeconds = expirationSeconds
        self.handler = handler
    }
}

/// Routes by the paths that they match. If two match, a literal segment goes before a name, and a name before
/// `{name*}`.
struct RouteTable: Sendable {
    enum Segment: Hashable, Sendable {
        case text(String)
        case name(String)
        /// The last segment: it stands for one or more.
        case rest(String)

        var rank: Int {
            switch self {
            case .text: 0
            case .name: 1
            case .rest: 2
            }
        }

        /// The segment without its name, for comparing.
        var shape: Segment {
            switch self {
            case .text: self
            case .name: .name("")
            case .rest: .rest("")
            }
        }
    }

    enum Match {
        case none
        case route(Entry, [(name: String, value: String)])
        case otherMethods([String])
    }

    struct Entry: Sendable {
        let route: GatewayRoute
        let segments: [Segment]
        /// Nil: each request gets its own answer.
        let answers: RouteAnswers?

        fileprivate init(_ route: GatewayRoute, _ segments: [Segment]) {
            (self.route, self.segments) = (route, segments)
            let seconds = route.method == "GET" ? route.expirationSeconds ?? 0 : 0
            answers = seconds > 0 ? RouteAnswers(seconds) : nil
        }

        /// The values of its names in a path with these decoded segments; nil if the path doesn't match. No
        /// segment contains a slash (54.6), and no value can lead to a path above.
        fileprivate func params(of parts: [String]) -> [(name: String, value: String)]? {
            var params: [(name: String, value: String)] = []
            for (index, segment) in segments.enumerated() {
                guard index < parts.count else { return nil }
                switch segment {
                case .text(let text): guard text == parts[index] else { return nil }
                case .name(let name):
                    let value = parts[index]
                    guard !value.isEmpty, !value.utf8.contains(.slash), !PathText.hasDotSegment(value) else {
                        return nil
                    }
                    params.append((name, value))
                case .rest(let name):
                    let value = parts[index...].joined(separator: "/")
                    guard !value.isEmpty, !PathText.hasDotSegment(value) else { return nil }
                    params.append((name, value))
                    return params
                }
            }
            return parts.count == segments.count ? params : nil
        }
    }

    /// In the order in which they are tried.
    private var entries: [Entry] = []
    /// Of these, those whose first segment is a text, and then the others. A script may have thousands of
    /// routes, and each request looks for one.
    private var byFirstText: [String: [Entry]] = [:]
    private var others: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    var all: [GatewayRoute] { entries.map(\.route) }

    init(_ routes: [GatewayRoute]) throws(GatewayError) {
        var known: [Shape: String] = [:]
        var ranked: [(ranks: [Int], entry: Entry)] = []
        for route in routes {
            let segments = try Self.segments(of: route)
            let shape = Shape(method: route.method, segments: segments.map(\.shape))
            if let other = known.updateValue(route.template, forKey: shape) {
                throw .badRoute("\(route.method) \(route.template) matches the same as \(other)")
            }
            ranked.append((segments.map(\.rank), Entry(route, segments)))
        }
        ranked.sort { $0.ranks.lexicographicallyPrecedes($1.ranks) }
        entries = ranked.map(\.entry)
        for entry in entries {
            if case .text(let text)? = entry.segments.first {
                byFirstText[text, default: []].append(entry)
            } else {
                others.append(entry)
            }
        }
    }

    /// Two routes of one shape match the same requests.
    private struct Shape: Hashable {
        let method: String
        let segments: [Segment]
    }

    private static func segments(of route: GatewayRoute) throws(GatewayError) -> [Segment] {
        let parts = route.template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard route.template.hasPrefix("/"), !route.template.contains("?"), !route.template.contains("#")
        else {
            throw .badRoute("'\(route.template)' is no path: it begins with a slash, and has no query")
        }
        if parts.first == "-" {
            throw .badRoute("'\(route.template)' lies below /-/, which is the host's own")
        }
        guard Method.isToken(route.method), !["CONNECT", "TRACE", "HEAD", "OPTIONS"].contains(route.method)
        else {
            throw .badRoute("\(route.method) is no method that a route can have")
        }
        var names: Set<String> = []
        var segments: [Segment] = []
        for part in parts {
            guard part.contains("{") || part.contains("}") else {
                segments.append(.text(String(part)))
                continue
            }
            let isMany = part.hasSuffix("*}")
            let name = String(part.dropFirst().dropLast(isMany ? 2 : 1))
            guard part.first == "{", part.last == "}", !name.isEmpty,
                name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isASCIILetter || HTTPByte.isDigit($0) })
            else {
                throw .badRoute(
                    "'\(part)' in '\(route.template)' is no valid name: a name is a whole segment, {day}, or {path*} for several segments"
                )
            }
            guard names.insert(name).inserted else {
                throw .badRoute("'\(route.template)' has the name '\(name)' twice")
            }
            guard !isMany || segments.count == parts.count - 1 else {
                throw .badRoute(
                    "'\(part)' in '\(route.template)' stands for all remaining segments: it must come last")
            }
            segments.append(isMany ? .rest(name) : .name(name))
        }
        return segments
    }

    /// - Parameter target: The target as the client sent it.
    func match(_ method: String, _ target: [UInt8]) -> Match {
        if entries.isEmpty { return .none }
        let path = target.prefix { $0 != .question }
        guard path.first == .slash else { return .none }
        var parts: [String] = []
        for part in path.dropFirst().split(separator: .slash, omittingEmptySubsequences: false) {
            guard let text = PercentEncoding.decode(String(decoding: part, as: UTF8.self)) else {
                return .none
            }
            parts.append(text)
        }
        let wanted = method == "HEAD" ? "GET" : method
        var methods: [String] = []
        for entries in [parts.first.flatMap { byFirstText[$0] } ?? [], others] {
            for entry in entries {
                guard let params = entry.params(of: parts) else { continue }
                if entry.route.method == wanted { return .route(entry, params) }
                if !methods.contains(entry.route.method) { methods.append(entry.route.method) }
            }
        }
        if methods.isEmpty { return .none }
        if methods.contains("GET") { methods.append("HEAD") }
        return .otherMethods(methods)
    }
}
