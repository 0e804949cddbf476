/// What is under `/-/`.
enum HostRoute: String, CaseIterable {
    case health, ready, services, resources, explain
    case status, reload, invalidate, wipe

    /// Answered on the admin socket alone.
    var isForAdmins: Bool {
        switch self {
        case .health, .ready, .services, .resources, .explain: false
        case .status, .reload, .invalidate, .wipe: true
        }
    }

    /// In the order of an `Allow` header.
    var methods: [String] {
        switch self {
        case .reload, .invalidate, .wipe: ["POST"]
        default: ["GET", "HEAD"]
        }
    }

    /// Answered without a token, but for details.
    var isLivenessCheck: Bool { self == .health || self == .ready }

    /// The route, or why there is none here.
    static func find(_ name: String, method: String, isAdmin: Bool) -> Result<HostRoute, Problem> {
        guard let route = HostRoute(rawValue: name) else {
            let names = allCases.filter { isAdmin || !$0.isForAdmins }.map { "/-/\($0.rawValue)" }
            return .failure(
                Problem(
                    404, "not_found", "there is no /-/\(name); there are \(names.joined(separator: ", "))"))
        }
        guard isAdmin || !route.isForAdmins else {
            return .failure(
                Problem(
                    404, "admin_only",
                    "/-/\(name) is answered on the host's admin socket alone: try 'resthost \(name)'"))
        }
        guard route.methods.contains(method) else {
            var problem = Problem(
                405, "method_not_allowed",
                "\(method) is not possible here; /-/\(name) takes \(route.methods.joined(separator: " and "))"
            )
            problem.allow = route.methods
            return .failure(problem)
        }
        return .success(route)
    }
}
