import RestEngine

/// Which answer a request gets, and what the server knows afterwards.
struct FixtureRoutes: Sendable {
    /// In seconds; a test that needs longer has a mistake.
    static let maximumDelay = 60.0

    var store: FixtureStore
    var tokens: FixtureTokens
    let access: FixtureGuard
    var counts: [String: Int] = [:]

    init(store: FixtureStore, tokens: FixtureTokens, access: FixtureGuard) {
        self.store = store
        self.tokens = tokens
        self.access = access
    }

    /// `now` is in Unix seconds.
    mutating func respond(to request: FixtureRequest, at now: Double) -> FixtureResponse {
        var response: FixtureResponse
        do { response = try answer(request, at: now) } catch { response = error.response }
        response.headers.set("Date", HTTPDate.text(unixSeconds: Int(now)))
        if response.hasNoContent {
            response.body = []
            response.headers.remove("Content-Type")
        } else {
            response.headers.set("Content-Length", String(response.body.count))
        }
        if request.method == "HEAD" { response.body = [] }
        return response
    }

    private mutating func answer(
        _ request: FixtureRequest, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        guard let target = FixtureTarget(request.target) else {
            throw FixtureRefusal(400, "The target must start with a slash")
        }
        if !Self.uncounted.contains(target.path) { counts[target.path, default: 0] += 1 }
        let delay = try Self.delay(target)
        let status = try Self.status(target)
        var response: FixtureResponse
        if let status, status >= 400 {
            response = .message(status)
        } else {
            do { response = try route(request, target, at: now) } catch { response = error.response }
            response.status = status ?? response.status
        }
        response.delay = delay
        return response
    }

    private mutating func route(
        _ request: FixtureRequest, _ target: FixtureTarget, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        if target.path == "/-" || target.path.hasPrefix("/-/") {
            return try service(request, target, at: now)
        }
        guard let path = FixturePath(encoded: target.path) else { throw .notFound }
        if access.covers(path), let refusal = FixtureGuard.refusal(request.headers, tokens, at: now) {
            throw refusal
        }
        switch request.method {
        case "GET", "HEAD": return try read(path, request, target, at: now)
        default: return try change(path, request, at: Int(now))
        }
    }

    private static func delay(_ target: FixtureTarget) throws(FixtureRefusal) -> Double {
        guard let text = target["delay"] else { return 0 }
        guard let delay = Double(text), (0...maximumDelay).contains(delay) else {
            throw FixtureRefusal(400, "delay must be a number of seconds from 0 to \(Int(maximumDelay))")
        }
        return delay
    }

    private static func status(_ target: FixtureTarget) throws(FixtureRefusal) -> Int? {
        guard let text = target["status"] else { return nil }
        guard let status = Int(text), (200...599).contains(status) else {
            throw FixtureRefusal(400, "status must be a number from 200 to 599")
        }
        return status
    }
}

/// Requests for what is in the folder.
extension FixtureRoutes {
    func read(
        _ path: FixturePath, _ request: FixtureRequest, _ target: FixtureTarget, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        let page = try FixturePage(target)
        let mayList = FixtureGuard.refusal(request.headers, tokens, at: now) == nil
        let found = try store.document(at: path) { mayList || !access.covers($0) }
        guard var document = found else { throw .notFound }
        var links: String?
        if let page, document.contentType == FileContentType.json,
            let list = try document.value(at: path).list
        {
            document.bytes = Tree(page.slice(list)).jsonBytes
            let origin = request.headers["Host"].map { "http://" + $0 } ?? ""
            links = page.links(count: list.count, target: target, origin: origin)
        }
        let validators = FixtureValidators(document.bytes, modified: document.modified)
        var response = FixtureResponse(validators.isCurrent(request.headers) ? 304 : 200)
        response.headers.set("Content-Type", document.contentType)
        response.headers.set("ETag", validators.etag)
        response.headers.set("Last-Modified", validators.lastModified)
        if let links { response.headers.set("Link", links) }
        response.body = document.bytes
        return response
    }

    mutating func change(
        _ path: FixturePath, _ request: FixtureRequest, at now: Int
    ) throws(FixtureRefusal) -> FixtureResponse {
        switch request.method {
        case "POST":
            let (place, item) = try store.add(Self.value(of: request), to: path, at: now)
            return FixtureResponse(201, json: item, headers: [("Location", place.encoded)])
        case "PUT":
            let (isNew, value) = try store.replace(Self.value(of: request), at: path, now: now)
            let location = isNew ? [("Location", path.encoded)] : []
            return FixtureResponse(isNew ? 201 : 200, json: value, headers: location)
        case "PATCH":
            return FixtureResponse(200, json: try store.merge(Self.value(of: request), into: path, at: now))
        case "DELETE":
            try store.remove(path, at: now)
            return FixtureResponse(204)
        default:
            guard let document = try store.document(at: path) else { throw .notFound }
            let methods = document.methods(at: path)
            guard request.method == "OPTIONS" else { throw .notAllowed(methods) }
            return FixtureResponse(204, headers: [("Allow", methods.joined(separator: ", "))])
        }
    }

    /// Less deep than files may be, so that a list can be read again when this is in it.
    private static let limits = Tree.Limits(depth: 256)

    static func value(of request: FixtureRequest) throws(FixtureRefusal) -> Tree {
        do { return try Tree(json: request.body, limits: limits) } catch { throw .malformed(error) }
    }
}

/// Requests below `/-/`: about the server, not the folder.
extension FixtureRoutes {
    /// Requests that only read or clear the counts are not counted.
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
            reset(all: target["all"] != nil)
            return FixtureResponse(204)
        case "/-/login":
            guard request.method == "POST" else { throw .notAllowed(["POST"]) }
            return try login(request, at: now)
        default: throw .notFound
        }
    }

    mutating func reset(all: Bool) {
        counts = [:]
        guard all else { return }
        store.forgetChanges()
        tokens.forgetAll()
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
            ?? ("body_hex", Tree(Hex.encode(request.body)))
        return FixtureResponse(
            200,
            json: Tree(pairs: [
                ("method", Tree(request.method)), ("target", Tree(request.target)),
                ("headers", Tree(pairs: headers)), body,
            ]))
    }
}
