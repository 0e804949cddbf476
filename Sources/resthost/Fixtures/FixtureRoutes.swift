import Gateway
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
