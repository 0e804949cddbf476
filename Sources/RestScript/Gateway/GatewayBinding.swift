import LuaRuntime
import RestEngine

/// `rest.gateway{ listen=, expose=, auth=, server_names=, forward=, keep=, limits=, timeout=, access_log= }`.
struct GatewayBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "gateway",
                "(options: { listen?, expose?, auth?, server_names?, forward?, keep?, limits?, timeout?, access_log? })",
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
        declaration.listen = try addresses(options)
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
        declaration.forwardedHeaders = try headerNames(options, "forward")
        declaration.keptHeaders = try headerNames(options, "keep")
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

    /// One address or a list of them.
    private func addresses(_ options: OptionTable) throws -> [String] {
        guard let place = options.value("listen") else { return [] }
        defer { options.lua.pop() }
        guard options.lua.type(place) == .table else {
            return try options.string("listen").map { [try context.grants.listenAddress($0)] } ?? []
        }
        let texts = try options.lua.strings(place, "listen")
        guard !texts.isEmpty else { throw LuaUsageError("'listen' has no address in it") }
        return try texts.map { try context.grants.listenAddress($0) }
    }

    /// Of `forward = { headers = { … } }`. Which may pass is the gateway's to say.
    private func headerNames(_ options: OptionTable, _ name: String) throws -> [String] {
        guard let inner = try options.options(name) else { return [] }
        defer { inner.lua.pop() }
        var names: [String] = []
        if let place = try inner.table("headers") {
            names = try inner.lua.strings(place, "\(name).headers")
            inner.lua.pop()
        }
        try inner.finish()
        return names
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
        var limits = GatewayDeclaration.Limits(
            connections: try count("connections", 1...1_000_000),
            headerBytes: try count("header_bytes", 1024...1 << 20),
            targetBytes: try count("target_bytes", 256...1 << 20),
            headerTimeout: try seconds("header_timeout"), idleTimeout: try seconds("idle_timeout"))
        limits.bodyBytes = try bytes(options, "body")
        for later in ["per_client"] where options.value(later) != nil {
            throw LuaUsageError("option 'limits.\(later)' of the gateway is not available yet")
        }
        try options.finish()
        return limits
    }

    /// A number of bytes, or a text such as `"16MiB"`.
    private func bytes(_ options: OptionTable, _ name: String) throws -> Int? {
        guard let place = options.value(name) else { return nil }
        defer { options.lua.pop() }
        let isText = options.lua.type(place) == .string
        let count =
            isText
            ? options.lua.string(place).flatMap(ByteCount.init)?.bytes
            : options.lua.integer(place).map(Int.init)
        guard let count, (0...ByteCount.most).contains(count) else {
            throw LuaUsageError(
                "option 'limits.\(name)' is a number of bytes or a text such as \"16MiB\", 1 TiB at most")
        }
        return count
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
                exposure.methods = try lua.strings(methods, "methods").map { Method($0).rawValue }
            }
            try options.finish()
            all[name] = exposure
        }
        return all
    }
}

/// A size as people write it: `512`, `16MiB`, `2 GB`.
struct ByteCount: Equatable {
    static let most = 1 << 40
    let bytes: Int

    /// Nil for text that is none, or more than ``most``.
    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let units = [
            "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000, "kib": 1 << 10, "mib": 1 << 20,
            "gib": 1 << 30,
        ]
        guard digits.count <= 12, let number = Int(digits), let factor = units[unit],
            number <= Self.most / factor
        else { return nil }
        bytes = number * factor
    }
}
