import LuaRuntime
import Platform
import RestEngine

/// The reply of a stub, as a test gives it.
struct StubReplyOptions {
    var status: Int?
    var headers: Headers?
    var body: [UInt8]?
    var text: [UInt8]?
    /// The indexes of these values on the stack.
    var json: Int32?
    var when: Int32?
    var error: TransportError?
    /// The delay in seconds.
    var delay = 0.0
    var isHeld = false

    /// The name of the first option that belongs to a response.
    var response: String? {
        if status != nil { return "status" }
        if headers != nil { return "headers" }
        if body != nil { return "body" }
        if json != nil { return "json" }
        return text == nil ? nil : "text"
    }

    /// The options in the result of a stub's function.
    static let schema = ScriptSchema<StubReplyOptions>(reply)

    static let schemaOfStubs = ScriptSchema<StubReplyOptions>(reply + [when])

    private static let reply: [ScriptOption<StubReplyOptions>] = [
        .seconds("delay", .zeroOrMore, default: "0", "Seconds before the reply, by the host's clock.") {
            $0.delay = $1
        },
        .table(
            "error", StubErrorOptions.schema, from: { StubErrorOptions() },
            "An error, in place of a response."
        ) { $0.error = try $1.made() },
        .init("status", type: "integer", default: "200", "The status of the response.") { options, reply, _ in
            guard let status = try options.integer("status") else { return }
            guard 100...999 ~= status else { throw OptionFault("is 100 to 999, got \(status)") }
            reply.status = Int(status)
        },
        .init("headers", type: "headers", "The headers of the response.") { options, reply, _ in
            guard let place = try options.table("headers") else { return }
            defer { options.lua.pop() }
            reply.headers = try checked(try options.lua.headers(place))
        },
        .init(
            "body", type: "string",
            "The body as bytes. A response has one of `body`, `json` and `text`, or none."
        ) { options, reply, _ in
            guard let place = options.value("body") else { return }
            defer { options.lua.pop() }
            guard let bytes = options.lua.rawBytes(place) else {
                throw LuaUsageError(
                    "bad option 'body' to 'stub' (string expected, got \(options.lua.typeName(place))); json = takes tables"
                )
            }
            reply.body = bytes
        },
        .place("json", type: "any", "The body as a value, which is encoded as JSON.") { $0.json = $1 },
        .init("text", type: "string", "The body as text, in UTF-8.") { options, reply, _ in
            guard let bytes = try options.bytes("text") else { return }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw OptionFault("is not UTF-8: give bytes as body =")
            }
            reply.text = bytes
        },
        .flag("gated", default: "false", "Delays the reply until `stub:go()`.") { $0.isHeld = $1 },
    ]

    private static let when = ScriptOption<StubReplyOptions>.place(
        "when", type: "{ ... }", isTable: true, fields: StubConditionOptions.schema.descriptions,
        "Conditions for requests, in addition to method and URL."
    ) { $0.when = $1 }

    private static func checked(_ headers: Headers) throws -> Headers {
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
}

/// The conditions of a stub, as a test gives them.
struct StubConditionOptions {
    var body: [UInt8]?
    /// The index of the value on the stack.
    var headers: Int32?

    static let schema = ScriptSchema<StubConditionOptions>([
        .rawBytes("body", "The exact bytes of the body.") { $0.body = $1 },
        .place(
            "headers", type: "table<string, any>", isTable: true,
            "Values of headers by name; `rest.null` for one that is not there."
        ) { $0.headers = $1 },
    ])
}

/// The error of a stub without a response, as a test gives it.
struct StubErrorOptions {
    var type: String?
    var message: String?
    var phase: String?
    var limit: Int?

    static let schema = ScriptSchema<StubErrorOptions>([
        .init(
            "type", type: TransportError.Code.allCases.map { "\"\($0.rawValue)\"" }.plainlyJoined(" | "),
            default: "\"\(TransportError.Code.connectionFailed.rawValue)\"", "The kind of error."
        ) { options, error, _ in error.type = try options.string("type") },
        .text("message", "The message, in place of the default.") { $0.message = $1 },
        .text("phase", "The phase in which it failed.") { $0.phase = $1 },
        .init("limit", type: "integer", "The exceeded limit, in bytes.") { options, error, _ in
            error.limit = try options.integer("limit").map { Int(clamping: $0) }
        },
    ])

    func made() throws(LuaUsageError) -> TransportError {
        let name = type ?? TransportError.Code.connectionFailed.rawValue
        guard let code = TransportError.Code(rawValue: name) else {
            let names = TransportError.Code.allCases.map(\.rawValue)
            throw LuaUsageError(
                "unknown error type '\(name)'" + NearestName.advice(name, among: names)
                    + "; a transport knows \(names.joined(separator: ", "))")
        }
        var error = TransportError(code, message: message ?? Self.message(of: code))
        if let name = phase {
            guard let known = TransportError.Phase(rawValue: name) else {
                throw LuaUsageError("unknown phase '\(name)' of an error")
            }
            error.phase = known
        }
        error.limit = limit
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
}
