import RestEngine

/// Requests below `/-/`: about the server, not the folder.
extension FixtureRoutes {
    /// What only looks at the counts, or clears them, doesn't count.
    static let uncounted: Set<String> = ["/-/counts", "/-/reset"]

    mutating func service(
        _ request: FixtureRequest, _ target: FixtureTarget, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        let isRead = request.method == "GET" || request.method == "HEAD"
        switch target.path {
        case "/-/echo": return echo(request)
        case "/-/counts":
            guard isRead else { throw .notAllowed(["GET", "HEAD"]) }
            let members = counts.sorted { $0.key < $1.key }.map { ($0.key, Tree($0.value)) }
            return FixtureResponse(200, json: Tree(pairs: members))
        case "/-/reset":
            guard request.method == "POST" else { throw .notAllowed(["POST"]) }
            counts = [:]
            if target["all"] != nil {
                store.forgetChanges()
                tokens.forgetAll()
            }
            return FixtureResponse(204)
        case "/-/login":
            guard request.method == "POST" else { throw .notAllowed(["POST"]) }
            return try login(request, at: now)
        default: throw .notFound
        }
    }

    /// Anybody may log in, with any name and password that are not empty.
    private mutating func login(
        _ request: FixtureRequest, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        let credentials = try Self.value(of: request)
        guard let user = credentials["user"]?.string, let password = credentials["password"]?.string,
            !user.isEmpty, !password.isEmpty
        else { throw FixtureRefusal(422, "Expected an object with user and password") }
        let lifetime = Int64(exactly: tokens.lifetime).map { Tree($0) } ?? Tree(tokens.lifetime)
        return FixtureResponse(
            200, json: ["token": Tree(tokens.issue(at: now)), "expires_in": lifetime],
            headers: [("Cache-Control", "no-store")])
    }

    /// Names of fields in lower case, repeated ones joined. A body that is not UTF-8 comes as `body_hex`.
    private func echo(_ request: FixtureRequest) -> FixtureResponse {
        var names: Set<String> = []
        let headers = request.headers.fields.map { $0.name.lowercased() }.filter { names.insert($0).inserted }
            .map { ($0, Tree(request.headers[$0] ?? "")) }
        let body =
            String(validating: request.body, as: UTF8.self).map { ("body", Tree($0)) }
            ?? ("body_hex", Tree(FixtureHex.text(of: request.body)))
        return FixtureResponse(
            200,
            json: Tree(pairs: [
                ("method", Tree(request.method)), ("target", Tree(request.target)),
                ("headers", Tree(pairs: headers)), body,
            ]))
    }
}
