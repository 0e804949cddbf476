import LuaRuntime
import Platform
import RestEngine

/// Reads the reply of a stub: what is answered, when, and to which requests.
@EngineActor
struct StubReplyTable {
    private let context: ScriptContext
    private let options: OptionTable

    init(_ context: ScriptContext, _ options: OptionTable) {
        self.context = context
        self.options = options
    }

    /// `status=, headers=, body= | json= | text=, error=, delay=, gated=`.
    func reply() throws -> StubReply {
        let delay = try options.number("delay") ?? 0
        guard delay >= 0, delay.isFinite else {
            throw LuaUsageError("option 'delay' is a number of seconds, 0 or more")
        }
        let result = try error().map(TransportResult.failure) ?? .success(try response())
        return StubReply(result, delay: delay, isHeld: try options.boolean("gated") ?? false)
    }

    // MARK: Responses

    private func response() throws -> TransportResponse {
        let status = try options.integer("status") ?? 200
        guard 100...999 ~= status else { throw LuaUsageError("option 'status' is 100 to 999, got \(status)") }
        var headers = Headers()
        if let place = try options.table("headers") {
            defer { options.lua.pop() }
            headers = try checked(try options.lua.headers(place))
        }
        let body = try body()
        if let type = body.type, !headers.contains("Content-Type") { headers.set("Content-Type", type) }
        return TransportResponse(status: Int(status), headers: headers, body: body.bytes)
    }

    private func body() throws -> (bytes: [UInt8], type: String?) {
        var bodies: [(key: String, bytes: [UInt8], type: String?)] = []
        if let place = options.value("body") {
            defer { options.lua.pop() }
            guard
                let bytes = options.lua.rawBytes(place)
            else {
                throw LuaUsageError(
                    "bad option 'body' to 'stub' (string expected, got \(options.lua.typeName(place))); json = takes tables"
                )
            }
            bodies.append(("body", bytes, nil))
        }
        if let place = options.value("json") {
            defer { options.lua.pop() }
            do throws(LuaUsageError) {
                bodies.append(("json", try context.values.trees.json(options.lua, place), "application/json"))
            } catch { throw LuaUsageError("option 'json' can't be encoded: \(error.message)") }
        }
        if let bytes = try options.bytes("text") {
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw LuaUsageError("option 'text' is not UTF-8: give bytes as body =")
            }
            bodies.append(("text", bytes, "text/plain; charset=utf-8"))
        }
        guard bodies.count <= 1 else {
            let keys = bodies.map { "'\($0.key)'" }.joined(separator: " and ")
            throw LuaUsageError("a reply has one body, not \(keys)")
        }
        return bodies.first.map { ($0.bytes, $0.type) } ?? ([], nil)
    }

    private func checked(_ headers: Headers) throws -> Headers {
        for field in headers.fields {
            guard Method.isToken(field.name) else {
                throw LuaUsageError("'\(field.name)' can't be the name of a header")
            }
            guard !field.value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
                throw LuaUsageError("the value of header '\(field.name)' is more than one line")
            }
        }
        return headers
    }

    // MARK: Failures

    /// `error = { type=, message=, phase=, limit= }`: no response at all; by default the connection failed.
    private func error() throws -> TransportError? {
        guard let details = try options.options("error") else { return nil }
        defer { options.lua.pop() }
        for key in ["status", "headers", "body", "json", "text"] where options.reference(key) != nil {
            throw LuaUsageError("a reply with 'error' is no response: it has no '\(key)'")
        }
        let name = try details.string("type") ?? TransportError.Code.connectionFailed.rawValue
        guard let code = TransportError.Code(rawValue: name) else {
            let names = TransportError.Code.allCases.map(\.rawValue)
            throw LuaUsageError(
                "unknown error type '\(name)'" + NearestName.advice(name, among: names)
                    + "; a transport knows \(names.joined(separator: ", "))")
        }
        var error = TransportError(code, message: try details.string("message") ?? Self.message(of: code))
        if let name = try details.string("phase") {
            guard let phase = TransportError.Phase(rawValue: name) else {
                throw LuaUsageError("unknown phase '\(name)' of an error")
            }
            error.phase = phase
        }
        error.limit = try details.integer("limit").map(Int.init(clamping:))
        try details.finish()
        return error
    }

    private static func message(of code: TransportError.Code) -> String {
        switch code {
        case .invalidURL: "Invalid URL"
        case .connectionFailed: "Connection failed"
        case .dnsFailed: "Host not found"
        case .tlsFailed: "TLS handshake failed"
        case .timeout: "Timed out"
        case .tooLarge: "The response is too large"
        case .tooManyRedirects: "Too many redirects"
        case .decodingFailed: "The response can't be decoded"
        case .queueFull: "Too many requests wait"
        case .circuitOpen: "The server failed too often"
        case .rateLimited: "The limit has no turn for the request"
        case .offline: "The host is offline"
        case .internal: "Internal error"
        }
    }

    // MARK: Conditions

    /// `when = { headers = { Name = value or rest.null }, body = bytes }`.
    func condition() throws -> StubCondition {
        guard let when = try options.options("when") else { return StubCondition() }
        defer { options.lua.pop() }
        var condition = StubCondition(body: try when.rawBytes("body"))
        if let place = try when.table("headers") {
            defer { options.lua.pop() }
            try options.lua.forEachPair(place) { lua in
                guard let name = lua.string(-2) else {
                    throw LuaUsageError("headers have names: { Accept = \"text/plain\" }")
                }
                if context.values.trees.isNull(lua, -1) {
                    condition.headers[name] = .absent
                } else {
                    let values = try lua.headerValues(-1, name: name)
                    condition.headers[name] = .value(values.joined(separator: ", "))
                }
            }
        }
        try when.finish()
        return condition
    }
}
