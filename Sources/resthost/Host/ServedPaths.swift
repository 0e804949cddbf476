import Gateway
import RestEngine
import RestScript

/// The paths that a gateway answers, in the order in which they count.
@EngineActor
struct ServedPaths {
    struct Row {
        enum Kind: String {
            case host, before, route, service, after
        }

        let methods: [String]
        let path: String
        let kind: Kind
        /// The line of a route, the base URL of a service; nil for the host's own, and for a service without.
        let target: String?
        /// The same for people.
        let summary: String
    }

    let rows: [Row]

    /// A table of hooks, for people.
    static func text(_ hooks: [Row]) -> String {
        TextColumns.text(
            hooks.map { ["  " + $0.kind.rawValue, VisibleText.inline($0.path), $0.target ?? ""] })
    }

    init(_ host: ScriptHost) throws(GatewayError) {
        var rows = [
            Row(methods: ["GET", "HEAD"], path: "/-/…", kind: .host, target: nil, summary: "the host itself")
        ]
        let declared = host.gateway?.routes ?? []
        let routes = declared.map(GatewayRoute.init)
        let places = Dictionary(
            declared.map { ("\($0.method) \($0.path)", Self.place($0.file, $0.line)) },
            uniquingKeysWith: { $1 })
        let hooks = host.gateway?.hooks ?? []
        rows += hooks.filter { $0.stage == .before }.map(Self.row)
        for route in try GatewayRoute.inOrder(routes) {
            let place = places["\(route.method) \(route.template)"] ?? nil
            var methods = route.method == "GET" ? ["GET", "HEAD"] : [route.method]
            if let last = rows.last, last.path == route.template, last.target == place {
                methods = last.methods + methods
                rows.removeLast()
            }
            rows.append(
                Row(
                    methods: methods, path: route.template, kind: .route, target: place,
                    summary: "route" + (place.map { " at \($0)" } ?? "")))
        }
        for service in host.services {
            for rule in Self.rules(of: service.name, host) {
                for path in rule.paths {
                    let path = path.hasPrefix("/") ? String(path.dropFirst()) : path
                    rows.append(
                        Row(
                            methods: rule.methods, path: "/\(service.name)/\(path)", kind: .service,
                            target: service.givenBaseURL.map { SecretMask.standard.url($0.url.string) },
                            summary: Self.summary(of: service)))
                }
            }
        }
        self.rows = rows + hooks.filter { $0.stage == .after }.map(Self.row)
    }

    private static func row(_ hook: GatewayDeclaration.Hook) -> Row {
        let place = place(hook.file, hook.line)
        return Row(
            methods: hook.methods.map { ($0.contains("GET") ? $0.union(["HEAD"]) : $0).sorted() } ?? ["*"],
            path: hook.path,
            kind: hook.stage == .before ? .before : .after, target: place,
            summary: "\(hook.stage.rawValue)" + (place.map { " at \($0)" } ?? ""))
    }

    /// The hooks that a client's request for a path of a service meets, in their order.
    static func hooks(of path: String, _ service: Service, _ method: String, _ host: ScriptHost) -> [Row] {
        let target = "/" + service.name + (path.hasPrefix("/") ? "" : "/") + path.prefix { $0 != "?" }
        guard !path.contains("://"), let parts = PathPattern.decodedSegments(of: Array(target.utf8)[...])
        else { return [] }
        let method = method == "HEAD" ? "GET" : method
        return (host.gateway?.hooks ?? []).filter { hook in
            hook.methods?.contains(method) ?? true
                && (try? PathPattern(hook.path))?.parameters(in: parts) != nil
        }.map(row)
    }

    /// The place of a service's resources, for people.
    static func summary(of service: Service) -> String {
        if let base = service.givenBaseURL { return SecretMask.standard.url(base.url.string) }
        return service.baseURL == nil ? "absolute URLs only" : "computed resources"
    }

    /// Whether clients reach any path of a service, at any address.
    static func isExposed(_ name: String, _ host: ScriptHost) -> Bool { !rules(of: name, host).isEmpty }

    /// The rules of all addresses for a service.
    private static func rules(of name: String, _ host: ScriptHost) -> [ExposeRule] {
        guard let gateway = host.gateway else { return [ExposeRule()] }
        var rules: [ExposeRule] = []
        // A policy of an address replaces that of the gateway.
        let usesOwn = gateway.listen.contains { gateway.listenerPolicy[$0] == nil }
        var policies = gateway.listen.isEmpty || usesOwn ? [gateway.expose] : []
        for address in gateway.listen { gateway.listenerPolicy[address].map { policies.append($0) } }
        for policy in policies {
            guard let policy else { return [ExposeRule()] }
            guard let known = policy[name] else { continue }
            let rule = ExposeRule(paths: known.paths ?? ["**"], methods: known.methods)
            if !rules.contains(rule) { rules.append(rule) }
        }
        return rules
    }

    private static func place(_ file: String?, _ line: Int?) -> String? {
        guard let file, let line else { return nil }
        return "\(file):\(line)"
    }

    // MARK: Output

    var text: String {
        TextColumns.text(
            rows.map { row in
                [
                    row.methods.joined(separator: ", "), VisibleText.inline(row.path),
                    VisibleText.inline(row.summary),
                ]
            })
    }

    var tree: Tree {
        Tree(
            rows.map { row in
                Tree(pairs: [
                    ("methods", Tree(row.methods.map { Tree($0) })), ("path", Tree(row.path)),
                    ("kind", Tree(row.kind.rawValue)), ("target", row.target.map { Tree($0) } ?? .null),
                ])
            })
    }
}
