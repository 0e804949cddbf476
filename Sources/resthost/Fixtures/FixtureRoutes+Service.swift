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
            let members = counts.sorted { $0.key < $1.key }
            return FixtureResponse(
                200, json: .object(members.map { FixtureJSON.Member($0.key, .number(String($0.value))) }))
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
        guard let user = credentials["user"]?.text, let password = credentials["password"]?.text,
            !user.isEmpty, !password.isEmpty
        else { throw FixtureRefusal(422, "Expected an object with user and password") }
        let lifetime = Int(exactly: tokens.lifetime).map(String.init) ?? String(tokens.lifetime)
        return FixtureResponse(
            200,
            json: .object([
                .init("token", .string(tokens.issue(at: now))), .init("expires_in", .number(lifetime)),
            ]), headers: [("Cache-Control", "no-store")])
    }

    /// Names of fields in lower case, repeated ones joined. A body that is not UTF-8 comes as `body_hex`.
    private func echo(_ request: FixtureRequest) -> FixtureResponse {
        var headers = FixtureJSON.object([])
        for field in request.headers.fields {
            headers[field.name.lowercased()] = request.headers[field.name].map { .string($0) }
        }
        var members: [FixtureJSON.Member] = [
            .init("method", .string(request.method)), .init("target", .string(request.target)),
            .init("headers", headers),
        ]
        if let text = String(validating: request.body, as: UTF8.self) {
            members.append(.init("body", .string(text)))
        } else {
            members.append(.init("body_hex", .string(FixtureHex.text(of: request.body))))
        }
        return FixtureResponse(200, json: .object(members))
    }
}
