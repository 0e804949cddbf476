import RestEngine

/// The requests that clients may make. The rules are checked when the gateway is made, and compiled for each
/// service when they are first needed.
@EngineActor
final class AccessPolicy {
    private let rules: [String: ExposeRule]?
    /// A wider policy. This one shows nothing that the wider one doesn't.
    private let outer: AccessPolicy?
    private var compiled: [String: Compiled] = [:]
    /// Resources that were found to be shown.
    let known = KnownResources()

    private struct Compiled {
        let base: BaseURL
        let globs: [GlobPattern]
    }

    nonisolated init(
        _ rules: [String: ExposeRule]?, within outer: AccessPolicy? = nil
    ) throws(GatewayError) {
        self.rules = rules
        self.outer = outer
        for (name, rule) in rules ?? [:] {
            for path in rule.paths {
                do { _ = try GlobPattern(path) } catch {
                    throw .badAccessPolicy(service: name, message: error.description)
                }
            }
            for method in rule.methods {
                if let problem = Self.problem(ofMethod: method) {
                    throw .badAccessPolicy(service: name, message: problem)
                }
            }
        }
    }

    /// CONNECT would turn the connection into a tunnel, and TRACE would show a client's secrets to scripts of
    /// a page (RFC 9110 9.3.6, 9.3.8).
    private nonisolated static func problem(ofMethod method: String) -> String? {
        guard let method = Method.normalized(method) else { return "'\(method)' is no method" }
        let isRefused = ["CONNECT", "TRACE"].contains(method.uppercased())
        return isRefused ? "\(method) is never forwarded" : nil
    }

    nonisolated var showsEverything: Bool { rules == nil && outer?.showsEverything ?? true }

    func isExposed(service name: String) -> Bool {
        (rules.map { $0[name] != nil } ?? true) && (outer?.isExposed(service: name) ?? true)
    }

    /// The methods in the order of an `Allow` header.
    nonisolated func methods(of name: String) -> [String] {
        guard let rules else { return outer?.methods(of: name) ?? ["GET", "HEAD"] }
        var seen: Set<String> = []
        let own = (rules[name]?.methods ?? []).compactMap(Method.normalized).filter {
            seen.insert($0).inserted
        }
        guard let outer else { return own }
        return own.filter(outer.methods(of: name).contains)
    }

    /// The globs of this policy's own rules for a service.
    func paths(of name: String) -> [String] {
        rules.map { $0[name]?.paths ?? [] } ?? outer?.paths(of: name) ?? ["**"]
    }

    /// Whether clients may know the resource.
    func isShown(_ resource: Resource, of service: Service) -> Bool {
        guard let url = resource.url, let base = service.baseURL else { return showsEverything }
        return isExposed(url, service: service.name, base: base)
    }

    func isExposed(_ url: URLText, service name: String, base: BaseURL) -> Bool {
        if let outer, !outer.isExposed(url, service: name, base: base) { return false }
        guard let rule = rules?[name] else { return rules == nil }
        // An API may read an escaped slash as a slash, so the rule has to show both readings (55.8).
        let opened = url.withOpenSlashes
        return globs(of: rule, name, base).contains { glob in
            glob.matches(url) && opened.map(glob.matches) ?? true
        }
    }

    private func globs(of rule: ExposeRule, _ name: String, _ base: BaseURL) -> [GlobPattern] {
        if let known = compiled[name], known.base == base { return known.globs }
        // The globs were checked when the gateway was made.
        let globs = rule.paths.compactMap { try? GlobPattern($0, base: base) }
        compiled[name] = Compiled(base: base, globs: globs)
        return globs
    }
}

/// The part of a service that clients may reach.
public struct ExposeRule: Sendable, Equatable {
    /// Globs relative to the service's base URL, or absolute.
    public var paths: [String]
    public var methods: [String]

    public init(paths: [String] = ["**"], methods: [String] = ["GET", "HEAD"]) {
        self.paths = paths
        self.methods = methods
    }
}
