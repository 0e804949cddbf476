import RestEngine

/// The routes under `/-/`.
enum HostRoute: String, CaseIterable {
    case health, ready, services, resources, explain, metrics, events
    case status, reload, invalidate, wipe, source
    case history, clients, exchanges
    case openapi = "openapi.json"
    case page = ""
    case script = "inspector.js"
    case style = "inspector.css"

    /// The inspector.
    static let pages: [HostRoute] = [.page, .script, .style]

    /// The route exists on the admin socket only.
    var isForAdmins: Bool {
        switch self {
        case .health, .ready, .services, .resources, .explain, .metrics, .events, .openapi: false
        case .status, .reload, .invalidate, .wipe, .source, .page, .script, .style: true
        case .history, .clients, .exchanges: true
        }
    }

    /// The route answers operators only, at any listener (66.9).
    var isForOperators: Bool { [.resources, .explain, .metrics, .events].contains(self) }

    /// The clients that may use the route. Each may use those of the clients before.
    private enum Right: Comparable {
        case anyone, client, operators, admin
    }

    private var right: Right {
        isForAdmins ? .admin : isForOperators ? .operators : isLivenessCheck ? .anyone : .client
    }

    /// Every client that the gateway accepts may use the route (66.10).
    ///
    /// - Parameter elsewhere: Operators have a listener of their own.
    func isForClients(operatorsElsewhere elsewhere: Bool) -> Bool {
        right <= (elsewhere ? .anyone : .client)
    }

    /// In the order of an `Allow` header.
    var methods: [String] {
        switch self {
        case .reload, .invalidate, .wipe: ["POST"]
        case .events: ["GET"]
        default: ["GET", "HEAD"]
        }
    }

    /// The command that does the same, or shows it.
    private var command: String {
        switch self {
        case .page, .script, .style, .source, .history, .clients, .exchanges: "run --inspect"
        default: rawValue
        }
    }

    /// The route answers without a token, but without details then.
    var isLivenessCheck: Bool { self == .health || self == .ready }

    /// The route, or the problem if there is none here.
    ///
    /// - Parameters:
    ///   - isOperator: The client is an operator. Admins are operators too.
    ///   - elsewhere: Operators have a listener of their own, and this is another one.
    static func find(
        _ name: String, method: String, isAdmin: Bool, isOperator: Bool, operatorsElsewhere elsewhere: Bool
    ) -> Result<HostRoute, Problem> {
        let own: Right = isAdmin ? .admin : elsewhere ? .anyone : isOperator ? .operators : .client
        guard let route = HostRoute(rawValue: name) else {
            let names = allCases.filter { $0.right <= own && !pages.contains($0) }
                .map { "/-/\($0.rawValue)" }
            return .failure(
                Problem(
                    404, "not_found", "there is no /-/\(name); there are \(names.joined(separator: ", "))"))
        }
        guard isAdmin || !route.isForAdmins else {
            return .failure(
                Problem(
                    404, "admin_only",
                    "/-/\(name) is answered on the host's admin socket alone: try 'resthost \(route.command)'"
                ))
        }
        guard route.right <= own else {
            let place =
                elsewhere
                ? "at the address of [operator] in resthost.toml"
                : "at a listener with 'operator = true', or with a token that has it"
            return .failure(
                Problem(
                    403, "operator_only",
                    "/-/\(name) is for operators: ask on the admin socket, or \(place)"))
        }
        guard route.methods.contains(method) else {
            let takes = route.methods.joined(separator: " and ")
            return .failure(
                Problem(
                    405, "method_not_allowed", "\(method) is not possible here; /-/\(name) takes \(takes)",
                    [("Allow", route.methods.joined(separator: ", "))]))
        }
        return .success(route)
    }
}

extension Problem {
    /// The answer to a request for a resource where there are none.
    static func noResources(for audience: GatewayConfiguration.Audience) -> Problem {
        let here =
            audience == .admins
            ? "the admin socket serves /-/ (the inspector) and routes such as /-/status"
            : "this address is for operators, and serves routes such as /-/metrics"
        return Problem(404, "not_found", "\(here); resources are on the gateway's listeners")
    }
}

/// The parameters of a `/-/` route, each at most once.
struct RouteQuery {
    private var values: [String: String] = [:]

    /// Throws for a parameter that isn't in `known` or that is repeated. An empty text has no parameters.
    init(_ text: String?, known: [String]) throws(Problem) {
        for part in (text ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decode(String(pair[0])) ?? ""
            guard known.contains(name) else {
                let names =
                    known.isEmpty
                    ? "there are none here" : "there are " + known.joined(separator: ", ")
                throw Problem(400, "bad_parameter", "there is no parameter '\(name)'; \(names)")
            }
            let value = pair.count > 1 ? PercentEncoding.decode(String(pair[1])) : ""
            guard let value else {
                throw Problem(400, "bad_parameter", "the parameter '\(name)' is no UTF-8 text")
            }
            guard values[name] == nil else {
                throw Problem(400, "bad_parameter", "the parameter '\(name)' is there twice")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Throws if the parameter is missing.
    func needed(_ name: String) throws(Problem) -> String {
        guard let value = self[name] else {
            throw Problem(400, "missing_parameter", "the parameter '\(name)' is missing")
        }
        return value
    }

    /// A count from 1 to `most`.
    func count(_ name: String, default usual: Int, least: Int = 1, most: Int) throws(Problem) -> Int {
        guard let text = values[name] else { return usual }
        guard let count = Int(text), least...most ~= count else {
            throw Problem(400, "bad_parameter", "'\(name)' is a number from \(least) to \(most)")
        }
        return count
    }
}
