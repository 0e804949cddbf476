import LuaRuntime
import RestEngine

/// `rest.gateway{ listen=, expose=, auth=, tls=, server_names=, … }`.
struct GatewayBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "gateway",
                "(options: { listen?, expose?, auth?, tls?, server_names?, forward?, keep?, limits?, timeout?, access_log? }) -> gateway",
                "Declares the HTTP gateway."
            ) { call in try declareGateway(call) }
        ])
    }

    private func declareGateway(_ call: Arguments) throws -> Verdict {
        try context.declarations.declare(call) { try addGateway(call) }
        values.push(ScriptGateway(), on: call.lua)
        return .one
    }

    private func addGateway(_ call: Arguments) throws {
        guard context.declarations.gateway == nil else {
            throw LuaUsageError("there is one gateway: it was declared before")
        }
        let options = try call.options(1)
        var declaration = GatewayDeclaration()
        let place = call.lua.callerPlace
        (declaration.file, declaration.line) = (place?.file, place?.line)
        try addAddresses(options, &declaration)
        if let place = try options.table("expose") {
            declaration.expose = try exposure(call.lua, place)
            call.lua.pop()
        }
        if let auth = try options.options("auth") { try addClients(auth, &declaration) }
        declaration.cors = try options.options("cors").map(cors)
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
        declaration.tls = try options.options("tls").map(tls)
        try options.finish()
        context.declarations.gateway = declaration
    }

    /// One address or a list of them; a table has what is different about one.
    private func addAddresses(_ options: OptionTable, _ declaration: inout GatewayDeclaration) throws {
        guard let place = options.value("listen") else { return }
        defer { options.lua.pop() }
        let lua = options.lua
        guard lua.type(place) == .table else {
            declaration.listen =
                try options.string("listen").map { [try context.grants.listenAddress($0)] } ?? []
            return
        }
        var index = 1
        while lua.rawGet(place, index) != .nil {
            defer { lua.pop() }
            if let text = lua.type(-1) == .string ? lua.string(-1) : nil {
                declaration.listen.append(try context.grants.listenAddress(text))
            } else if lua.type(-1) == .table {
                try addListener(OptionTable(lua: lua, table: -1, owner: "rest.gateway.listen"), &declaration)
            } else {
                throw LuaUsageError(
                    "item \(index) of 'listen' is an address or a table, not a \(lua.typeName(-1))")
            }
            index += 1
        }
        lua.pop()
        guard !declaration.listen.isEmpty else { throw LuaUsageError("'listen' has no address in it") }
    }

    private func addListener(_ options: OptionTable, _ declaration: inout GatewayDeclaration) throws {
        let text = try options.required("address", try options.string("address"))
        let address = try context.grants.listenAddress(text)
        declaration.listen.append(address)
        if let mode = try options.string("mode") {
            guard let bits = Int(mode, radix: 8), 0...0o777 ~= bits, address.hasPrefix("unix:") else {
                throw LuaUsageError("option 'mode' is that of a Unix socket in octal, such as \"0660\"")
            }
            declaration.socketModes[address] = bits
        }
        if let place = options.value("tls") {
            let isOff = options.lua.type(place) == .boolean && options.lua.boolean(place) == false
            options.lua.pop()
            declaration.listenerTLS[address] = .some(isOff ? nil : try options.options("tls").map(tls))
        }
        if let place = try options.table("expose") {
            declaration.listenerExposure[address] = try exposure(options.lua, place)
            options.lua.pop()
        }
        if try options.boolean("operator") ?? false { declaration.operatorListeners.insert(address) }
        try options.finish()
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
        limits.streamBodyBytes = try bytes(options, "stream_body")
        if let client = try options.options("per_client") {
            limits.perClient = try client.options("rate").map(rate)
            (limits.requestsPerClient, limits.streamsPerClient) = try places(client)
            try client.finish()
            options.lua.pop()
        }
        try options.finish()
        return limits
    }

    private func places(_ options: OptionTable) throws -> (requests: Int?, streams: Int?) {
        func count(_ name: String) throws -> Int? {
            guard let count = try options.integer(name) else { return nil }
            guard (1...1_000_000).contains(count) else {
                throw LuaUsageError("option 'per_client.\(name)' is a whole number from 1 to 1000000")
            }
            return Int(count)
        }
        return (try count("in_flight"), try count("streams"))
    }

    private func rate(_ options: OptionTable) throws -> GatewayDeclaration.Rate {
        defer { options.lua.pop() }
        let rate = GatewayDeclaration.Rate(
            requests: try options.required("requests", try options.number("requests")),
            per: try options.number("per") ?? 1, burst: try options.number("burst"))
        try options.finish()
        guard rate.requests > 0, rate.per > 0, rate.burst ?? 1 >= 1, rate.requests.isFinite, rate.per.isFinite
        else {
            throw LuaUsageError(
                "a rate has 'requests' and 'per' (seconds) above 0, and a 'burst' of 1 or more")
        }
        return rate
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

    func exposure(_ lua: Lua, _ place: Int32) throws -> [String: GatewayDeclaration.Exposure] {
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
