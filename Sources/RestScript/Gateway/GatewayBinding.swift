import LuaRuntime
import RestEngine

/// `rest.gateway{ listen=, expose=, auth=, server_names=, limits=, timeout=, access_log= }`.
struct GatewayBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "gateway",
                "(options: { listen?, expose?, auth?, server_names?, limits?, timeout?, access_log? })",
                "Declares the HTTP gateway."
            ) { call in try declareGateway(call) }
        ])
    }

    private func declareGateway(_ call: Arguments) throws -> Verdict {
        try context.declarations.declare(call) { try addGateway(call) }
        return .none
    }

    private func addGateway(_ call: Arguments) throws {
        guard context.declarations.gateway == nil else {
            throw LuaUsageError("there is one gateway: it was declared before")
        }
        let options = try call.options(1)
        var declaration = GatewayDeclaration()
        let place = call.lua.callerPlace
        (declaration.file, declaration.line) = (place?.file, place?.line)
        declaration.listen = try options.string("listen").map { try context.grants.listenAddress($0) }
        if let place = try options.table("expose") {
            declaration.expose = try exposure(call.lua, place)
            call.lua.pop()
        }
        if let auth = try options.options("auth") {
            declaration.bearerToken = try auth.string("bearer")
            try auth.finish()
            if declaration.bearerToken?.isEmpty ?? true {
                throw LuaUsageError(
                    "option 'auth.bearer' is missing or empty: without a token leave 'auth' out")
            }
        }
        if let timeout = try options.number("timeout") {
            guard timeout > 0, timeout.isFinite else {
                throw LuaUsageError("option 'timeout' is a number of seconds above 0")
            }
            declaration.timeout = timeout
        }
        if let names = try options.table("server_names") {
            declaration.serverNames = try call.lua.strings(names, "server_names")
            call.lua.pop()
            for name in declaration.serverNames where URLText("http://\(name)/")?.path != "/" {
                throw LuaUsageError(
                    "'server_names' lists names of hosts, such as \"api.internal\", not '\(name)'")
            }
        }
        if let limits = try options.options("limits") {
            declaration.limits = try gatewayLimits(limits)
            call.lua.pop()
        }
        declaration.logsAccess = try options.boolean("access_log") ?? false
        for later in ["tls", "cors"] where options.value(later) != nil {
            throw LuaUsageError("option '\(later)' of the gateway is not available yet")
        }
        try options.finish()
        context.declarations.gateway = declaration
    }

    private func gatewayLimits(_ options: OptionTable) throws -> GatewayDeclaration.Limits {
        func count(_ name: String, _ range: ClosedRange<Int64>) throws -> Int? {
            guard let count = try options.integer(name) else { return nil }
            guard range.contains(count) else {
                throw LuaUsageError(
                    "option 'limits.\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return Int(count)
        }
        func seconds(_ name: String) throws -> Double? {
            guard let seconds = try options.number(name) else { return nil }
            guard seconds >= 0.1, seconds <= 86_400 else {
                throw LuaUsageError("option 'limits.\(name)' is a number of seconds from 0.1 to 86400")
            }
            return seconds
        }
        let limits = GatewayDeclaration.Limits(
            connections: try count("connections", 1...1_000_000),
            headerBytes: try count("header_bytes", 1024...1 << 20),
            targetBytes: try count("target_bytes", 256...1 << 20),
            headerTimeout: try seconds("header_timeout"), idleTimeout: try seconds("idle_timeout"))
        for later in ["body", "per_client"] where options.value(later) != nil {
            throw LuaUsageError("option 'limits.\(later)' of the gateway is not available yet")
        }
        try options.finish()
        return limits
    }

    private func exposure(_ lua: Lua, _ place: Int32) throws -> [String: GatewayDeclaration.Exposure] {
        var all: [String: GatewayDeclaration.Exposure] = [:]
        try lua.forEachPair(place) { lua in
            guard let name = lua.string(-2) else {
                throw LuaUsageError(
                    "'expose' has services by name: { github = { paths = { \"/users/**\" } } }")
            }
            guard lua.type(-1) == .table else {
                throw LuaUsageError("what 'expose' says of '\(name)' is a table, not a \(lua.typeName(-1))")
            }
            let options = OptionTable(lua: lua, table: -1, owner: "expose.\(name)")
            var exposure = GatewayDeclaration.Exposure(paths: nil, methods: ["GET", "HEAD"])
            if let paths = try options.table("paths") { exposure.paths = try lua.strings(paths, "paths") }
            if let methods = try options.table("methods") {
                exposure.methods = try lua.strings(methods, "methods")
                for method in exposure.methods where method != "GET" && method != "HEAD" {
                    throw LuaUsageError("the gateway passes on GET and HEAD alone yet, not \(method)")
                }
            }
            try options.finish()
            all[name] = exposure
        }
        return all
    }
}

/// What a script said about the gateway.
public struct GatewayDeclaration: Sendable, Equatable {
    public struct Exposure: Sendable, Equatable {
        /// Globs on the path behind the service's name; nil: all.
        public var paths: [String]?
        public var methods: [String]
    }

    /// What clients may use; nil: as usual. Times are in seconds.
    public struct Limits: Sendable, Equatable {
        public var connections: Int?
        /// Of a request line and its header fields together.
        public var headerBytes: Int?
        /// Of a request's path and query.
        public var targetBytes: Int?
        public var headerTimeout: Double?
        public var idleTimeout: Double?
    }

    /// `host:port` or `unix:/path`.
    public var listen: String?
    /// By service; nil: every service, GET and HEAD.
    public var expose: [String: Exposure]?
    public var bearerToken: String?
    /// Seconds from a request to its answer; nil leaves it to the time-outs of what is asked for.
    public var timeout: Double?
    /// Names in Host that are answered beside the addresses' own.
    public var serverNames: [String] = []
    public var limits = Limits()
    /// Each answer is a line of the log.
    public var logsAccess = false
    /// Where the script says it.
    public var file: String?
    public var line: Int?
}
