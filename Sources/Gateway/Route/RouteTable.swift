import Platform
package import RestEngine

/// A route that the gateway answers by itself, such as a function of a script.
package struct GatewayRoute: Sendable {
    package typealias Handler =
        @EngineActor @Sendable (
            ServedRequest, @escaping @EngineActor (Result<ServedAnswer, RequestError>) -> Void
        ) -> Void

    package var method: String
    /// Whether it was declared for all methods: a route of the method itself goes before it.
    package var isForAllMethods: Bool
    /// See ``PathPattern``.
    package var template: String
    /// Seconds for which an answer to GET is kept; nil: each request gets its own.
    package var expirationSeconds: Double?
    /// The route begins with the head of a request, and reads the body as it arrives.
    package var streamsBody: Bool
    package var handler: Handler

    package init(
        method: String, isForAllMethods: Bool = false, template: String, expirationSeconds: Double?,
        streamsBody: Bool = false, handler: @escaping Handler
    ) {
        self.method = method
        self.isForAllMethods = isForAllMethods
        self.template = template
        self.expirationSeconds = expirationSeconds
        self.streamsBody = streamsBody
        self.handler = handler
    }
}

extension GatewayRoute {
    /// The routes in the order in which the gateway tries them.
    package static func inOrder(_ routes: [GatewayRoute]) throws(GatewayError) -> [GatewayRoute] {
        try RouteTable(routes).all
    }
}

/// Routes by the paths that they match. If two match, the first segment that differs decides: a text goes
/// before a name, a name before `{name*}`, and that before `**`.
struct RouteTable: Sendable {
    enum Match {
        case none
        case route(Entry, [(name: String, value: String)])
        case otherMethods([String])
    }

    struct Entry: Sendable {
        let route: GatewayRoute
        fileprivate let pattern: PathPattern
        /// Nil if the route is for another method than GET.
        let answers: RouteAnswers?

        fileprivate init(_ route: GatewayRoute, _ pattern: PathPattern) {
            (self.route, self.pattern) = (route, pattern)
            answers = route.method == "GET" ? RouteAnswers(route.expirationSeconds ?? 0) : nil
        }
    }

    /// In the order in which they are tried.
    private var entries: [Entry] = []
    /// Of these, those whose first segment is a text, and then the others. A script may have thousands of
    /// routes, and each request looks for one.
    private var byFirstText: [String: [Entry]] = [:]
    private var others: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// In the order in which they are tried.
    var all: [GatewayRoute] { entries.map(\.route) }

    init(_ routes: [GatewayRoute]) throws(GatewayError) {
        var known: [Shape: Int] = [:]
        var ranked: [(ranks: [Int], entry: Entry)] = []
        for route in routes {
            let pattern = try Self.pattern(of: route)
            let new = (ranks: pattern.segments.map(\.rank), entry: Entry(route, pattern))
            let shape = Shape(method: route.method, segments: pattern.segments.map(\.shape))
            guard let place = known[shape] else {
                known[shape] = ranked.count
                ranked.append(new)
                continue
            }
            let other = ranked[place].entry.route
            guard route.isForAllMethods != other.isForAllMethods else {
                throw .badRoute("\(route.method) \(route.template) matches the same as \(other.template)")
            }
            if other.isForAllMethods { ranked[place] = new }
        }
        ranked.sort { $0.ranks.lexicographicallyPrecedes($1.ranks) }
        entries = ranked.map(\.entry)
        for entry in entries {
            if case .text(let text)? = entry.pattern.segments.first {
                byFirstText[text, default: []].append(entry)
            } else {
                others.append(entry)
            }
        }
    }

    /// Two routes of one shape match the same requests.
    private struct Shape: Hashable {
        let method: String
        let segments: [PathPattern.Segment]
    }

    private static func pattern(of route: GatewayRoute) throws(GatewayError) -> PathPattern {
        let pattern = try PathPattern(ofGateway: route.template)
        guard Method.isToken(route.method), !["CONNECT", "TRACE", "HEAD", "OPTIONS"].contains(route.method)
        else {
            throw .badRoute("\(route.method) is no method that a route can have")
        }
        return pattern
    }

    /// - Parameter target: The target as the client sent it.
    func match(_ method: String, _ target: [UInt8]) -> Match {
        if entries.isEmpty { return .none }
        let path = target.prefix { $0 != .question }
        guard path.first == .slash, let parts = PathPattern.decodedSegments(of: path) else { return .none }
        let wanted = method == "HEAD" ? "GET" : method
        var methods: [String] = []
        for entries in [parts.first.flatMap { byFirstText[$0] } ?? [], others] {
            for entry in entries {
                guard let params = entry.pattern.parameters(in: parts) else { continue }
                if entry.route.method == wanted { return .route(entry, params) }
                if !methods.contains(entry.route.method) { methods.append(entry.route.method) }
            }
        }
        if methods.isEmpty { return .none }
        if methods.contains("GET") { methods.append("HEAD") }
        return .otherMethods(methods)
    }
}
