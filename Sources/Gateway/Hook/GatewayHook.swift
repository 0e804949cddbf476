import Platform
package import RestEngine

/// A function that runs before or after the requests of some paths are answered (rules 72).
package struct GatewayHook: Sendable {
    /// The result of a function that runs before a request is answered.
    package enum Decision: Sendable {
        /// The request goes on, with these headers for the API, in this partition.
        case proceed(forward: Headers, partition: String?)
        /// The function answered in place of the route or the API.
        case answer(ServedAnswer)
    }

    package typealias Before =
        @EngineActor @Sendable (
            _ request: ServedRequest, _ forward: Headers,
            _ completion: @escaping @EngineActor (Result<Decision, RequestError>) -> Void
        ) -> Void

    package typealias After =
        @EngineActor @Sendable (
            _ request: ServedRequest, _ head: ServedHead,
            _ completion: @escaping @EngineActor (Result<ServedHead, RequestError>) -> Void
        ) -> Void

    package enum Action: Sendable {
        /// Nil if the hook only limits the rate.
        case before(Before?)
        case after(After)
    }

    /// See ``PathPattern``. It is for the whole path, the service's name included.
    package var template: String
    /// Nil: all methods. GET is for HEAD, too.
    package var methods: Set<String>?
    /// How often one client may send these requests; nil: no limit of its own.
    package var rate: GatewayRate?
    package var action: Action

    package init(template: String, methods: Set<String>?, rate: GatewayRate? = nil, action: Action) {
        (self.template, self.methods, self.rate, self.action) = (template, methods, rate, action)
    }
}

/// The hooks of a gateway, in the order of their declaration.
struct HookTable: Sendable {
    /// The hooks that one request meets, each with the values of its pattern's names.
    struct Matches {
        var rates: [ClientRates] = []
        var before: [Match<GatewayHook.Before>] = []
        var after: [Match<GatewayHook.After>] = []
    }

    struct Match<Function: Sendable>: Sendable {
        let template: String
        let params: [(name: String, value: String)]
        let function: Function
    }

    private struct Entry {
        let hook: GatewayHook
        let pattern: PathPattern
        let rates: ClientRates?
    }

    private let entries: [Entry]
    /// Paths below these first segments meet some hook; nil: any path may.
    private let firstTexts: Set<String>?

    var isEmpty: Bool { entries.isEmpty }

    init(_ hooks: [GatewayHook]) throws(GatewayError) {
        var entries: [Entry] = []
        var texts: Set<String>? = []
        for hook in hooks {
            let pattern = try PathPattern(ofGateway: hook.template)
            entries.append(Entry(hook: hook, pattern: pattern, rates: hook.rate.map(ClientRates.init)))
            if case .text(let text)? = pattern.segments.first { texts?.insert(text) } else { texts = nil }
            for method in hook.methods ?? [] where !Method.isToken(method) {
                throw .badRoute("'\(method)' is no method")
            }
        }
        self.entries = entries
        firstTexts = texts
    }

    /// Nil if the request meets no hook.
    ///
    /// A hook may decide who may do what, so no spelling of a path may lead past it: bytes that are no UTF-8
    /// count as U+FFFD, and an escaped slash matches as itself and as a slash, because some APIs take it for
    /// one.
    ///
    /// - Parameter target: The target as the client sent it.
    func match(_ method: String, _ target: [UInt8]) -> Matches? {
        if entries.isEmpty { return nil }
        let path = target.prefix { $0 != .question }
        guard path.first == .slash else { return nil }
        let parts = Self.segments(of: path)
        guard parts.first != "-" else { return nil }
        let split = parts.flatMap {
            $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        }
        guard firstTexts?.contains(split.first ?? "") ?? true else { return nil }
        let method = method == "HEAD" ? "GET" : method
        var matches: Matches?
        for entry in entries where entry.hook.methods?.contains(method) ?? true {
            let own = entry.pattern.parameters(in: parts)
            guard let params = own ?? (split == parts ? nil : entry.pattern.parameters(in: split)) else {
                continue
            }
            var found = matches ?? Matches()
            if let rates = entry.rates { found.rates.append(rates) }
            switch entry.hook.action {
            case .before(nil): break
            case .before(let function?):
                found.before.append(Match(template: entry.hook.template, params: params, function: function))
            case .after(let function):
                found.after.append(Match(template: entry.hook.template, params: params, function: function))
            }
            matches = found
        }
        return matches
    }
}

extension HookTable {
    /// Decoded, each with U+FFFD for bytes that are no UTF-8.
    private static func segments(of path: ArraySlice<UInt8>) -> [String] {
        if let segments = PathPattern.decodedSegments(of: path) { return segments }
        return path.dropFirst().split(separator: .slash, omittingEmptySubsequences: false).map {
            String(decoding: PercentEncoding.decodeBytes($0), as: UTF8.self)
        }
    }
}

extension PathPattern {
    /// The pattern of a route or a hook of the gateway.
    init(ofGateway template: String) throws(GatewayError) {
        guard template.hasPrefix("/") else {
            throw .badRoute("'\(template)' is no path: it begins with a slash")
        }
        do throws(PatternError) { try self.init(template) } catch { throw .badRoute(error.description) }
        if segments.first == .text("-") {
            throw .badRoute("'\(template)' lies below /-/, which is the host's own")
        }
    }
}
