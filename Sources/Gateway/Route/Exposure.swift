import RestEngine

/// The rules of exposure, checked when the gateway is made and compiled for each service when first needed.
@EngineActor
final class Exposure {
    private let rules: [String: ServiceExposure]?
    private var compiled: [String: Compiled] = [:]

    private struct Compiled {
        let base: BaseURL
        let globs: [GlobPattern]
    }

    nonisolated init(_ rules: [String: ServiceExposure]?) throws(GatewayError) {
        self.rules = rules
        for (name, rule) in rules ?? [:] {
            for path in rule.paths {
                do { _ = try GlobPattern(path) } catch {
                    throw .badExposure(service: name, message: error.description)
                }
            }
            for method in rule.methods where Method.normalized(method) == nil {
                throw .badExposure(service: name, message: "'\(method)' is no method")
            }
        }
    }

    nonisolated var showsEverything: Bool { rules == nil }

    func isExposed(service name: String) -> Bool { rules.map { $0[name] != nil } ?? true }

    /// In the order of an `Allow` header.
    func methods(of name: String) -> [String] {
        guard let rules else { return ["GET", "HEAD"] }
        return (rules[name]?.methods ?? []).compactMap(Method.normalized)
    }

    func isExposed(_ url: URLText, service name: String, base: BaseURL) -> Bool {
        guard let rule = rules?[name] else { return rules == nil }
        if let known = compiled[name], known.base == base {
            return known.globs.contains { $0.matches(url) }
        }
        // They were checked when the gateway was made.
        let globs = rule.paths.compactMap { try? GlobPattern($0, base: base) }
        compiled[name] = Compiled(base: base, globs: globs)
        return globs.contains { $0.matches(url) }
    }
}

/// Which part of a service clients may reach.
public struct ServiceExposure: Sendable, Equatable {
    /// Globs relative to the service's base URL, or absolute.
    public var paths: [String]
    public var methods: [String]

    public init(paths: [String] = ["**"], methods: [String] = ["GET", "HEAD"]) {
        self.paths = paths
        self.methods = methods
    }
}
