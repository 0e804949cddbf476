import LuaRuntime
import RestEngine

/// The options of `rest.service`.
extension ServiceBinding {
    /// `rest.service{ name=, base_url=, standard_transformers=, transport= }`. A check goes on with a service
    /// that nobody else sees, to find what else is wrong.
    func makeService(_ call: Arguments) throws -> Verdict {
        var made: Service?
        try context.declarations.declare(call) { made = try service(call) }
        let stand = try BaseURL("http://localhost/")
        values.push(made ?? Service(engine: engine, name: "unnamed", baseURL: stand), on: call.lua)
        return .one
    }

    private func service(_ call: Arguments) throws -> Service {
        let options = try call.options(1, example: "rest.service { base_url = \"https://…\" }")
        let base = try options.text("base_url", .url)
        let givenName = try options.text("name", .name)
        let standard = try standardTransformers(options)
        var baseURL: BaseURL?
        if let base {
            do throws(BaseURLError) { baseURL = try BaseURL(base) } catch {
                throw LuaUsageError("base_url \(error)")
            }
        }
        var cookies: CookieSetting?
        let settings = try options.options("transport").map { options in
            cookies = try self.cookies(options)
            return try transportOptions(options, baseURL?.url)
        }
        try options.finish()
        let name = givenName ?? baseURL?.url.host ?? context.services.nameOfBareService
        guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/") else {
            throw LuaUsageError(
                "'\(name)' can't name a service: a name is not empty, has no '/' and doesn't begin with '-'")
        }
        guard context.services[name] == nil else {
            throw LuaUsageError("a service named '\(name)' exists already: give this one a name of its own")
        }
        let service =
            context.generation.takeOver(name, baseURL, standard, settings)
            ?? Service(
                engine: engine, name: name, baseURL: baseURL, standardTransformers: standard,
                transport: context.services.transport(for: settings))
        context.services.add(service, at: call.lua.callerPlace, transport: settings)
        context.declarations.keep(1024 + 2 * name.utf8.count + 2 * (base?.utf8.count ?? 0))
        service.cookies = try cookies.map { try context.services.jar($0, of: name) }
        return service
    }

    /// `cookies = true` or `{ path = "file.db" }`.
    private func cookies(_ options: OptionTable) throws -> CookieSetting? {
        guard let place = options.value("cookies") else { return nil }
        let flag = options.lua.boolean(place)
        let isTable = options.lua.type(place) == .table
        options.lua.pop()
        if let flag { return flag ? .memory : nil }
        guard isTable, let fields = try options.options("cookies") else {
            throw LuaUsageError("option 'transport.cookies' is true, or { path = \"cookies.db\" }")
        }
        let path = try fields.string("path")
        try fields.finish()
        guard let path, !path.isEmpty else {
            throw LuaUsageError("option 'transport.cookies' needs a path: { path = \"cookies.db\" }")
        }
        return .file(path)
    }

    /// `transport = { http2=, proxy=, ca_file=, unix_socket=, max_connections_per_host=, … }`.
    private func transportOptions(_ options: OptionTable, _ base: URLText?) throws -> TransportOptions {
        var settings = TransportOptions()
        settings.http2 = try options.boolean("http2") ?? settings.http2
        settings.proxy = try options.string("proxy").map {
            try context.grants.proxy($0, for: base, declared: context.services.bases)
        }
        settings.noProxy = try options.string("no_proxy")
        settings.caFile = try options.string("ca_file").map { try context.grants.readablePath($0) }
        settings.caPath = try options.string("ca_path").map { try context.grants.readablePath($0) }
        settings.clientCertificate = try options.string("client_certificate").map {
            try context.grants.readablePath($0)
        }
        settings.clientKey = try options.string("client_key").map { try context.grants.readablePath($0) }
        guard settings.clientKey == nil || settings.clientCertificate != nil else {
            throw LuaUsageError(
                "option 'transport.client_key' needs 'transport.client_certificate' beside it")
        }
        settings.pins = try pins(options)
        settings.minTLS = try choice(options, "min_tls")
        settings.ip = try choice(options, "ip") ?? settings.ip
        settings.addresses = try addresses(options)
        settings.unixSocket = try options.string("unix_socket").map { try context.grants.socketPath($0) }
        settings.maxConnectionsPerHost = try count(options, "max_connections_per_host")
        settings.maxTotalConnections = try count(options, "max_connections")
        settings.userAgent = try options.string("user_agent") ?? settings.userAgent
        try options.finish()
        return settings
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ options: OptionTable, _ key: String
    ) throws -> Choice? {
        guard let text = try options.string(key) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        throw LuaUsageError("option 'transport.\(key)' is \(known), got \"\(text)\"")
    }

    private func pins(_ options: OptionTable) throws -> [String] {
        guard let place = try options.table("pins") else { return [] }
        defer { options.lua.pop() }
        return try options.lua.strings(place, "pins").map { pin in
            if let problem = TransportOptions.problem(ofPin: pin) {
                throw LuaUsageError("'\(pin)' of 'transport.pins' is no pin: \(problem)")
            }
            return pin
        }
    }

    /// `resolve = { ["host:port"] = "address" }`. What may not be requested can't be connected to by another
    /// name either.
    private func addresses(_ options: OptionTable) throws -> [String: String] {
        guard let place = try options.table("resolve") else { return [:] }
        defer { options.lua.pop() }
        var addresses: [String: String] = [:]
        try options.lua.forEachPair(place) { lua in
            let example = "resolve = { [\"api.example.com:443\"] = \"192.0.2.1\" }"
            guard lua.type(-2) == .string, lua.type(-1) == .string, let key = lua.string(-2),
                let address = lua.string(-1)
            else { throw LuaUsageError("option 'transport.resolve' has texts: \(example)") }
            let host = address.contains(":") && !address.hasPrefix("[") ? "[\(address)]" : address
            guard let colon = key.lastIndex(of: ":"), let port = UInt16(key[key.index(after: colon)...]),
                port > 0,
                let named = URLText("https://\(key[..<colon])/"), named.isHTTP, named.path == "/",
                let url = URLText("https://\(host):\(port)/"), url.isHTTP, url.path == "/"
            else {
                throw LuaUsageError("'\(key)' = '\(address)' of 'transport.resolve' is none: \(example)")
            }
            if case .scriptError(let refusal)? = context.services.refusalOfRequest(to: url) {
                throw LuaUsageError(refusal.message)
            }
            addresses[key.lowercased()] = address
        }
        return addresses
    }

    private func count(_ options: OptionTable, _ key: String) throws -> Int? {
        guard let value = try options.integer(key) else { return nil }
        guard value >= 1 else { throw LuaUsageError("option 'transport.\(key)' is 1 or more, got \(value)") }
        return Int(value)
    }

    private func standardTransformers(_ options: OptionTable) throws -> [StandardTransformer] {
        guard let place = try options.table("standard_transformers") else {
            return StandardTransformer.allCases
        }
        defer { options.lua.pop() }
        return try options.lua.strings(place, "standard_transformers").map { name in
            guard let standard = StandardTransformer(rawValue: name) else {
                let known = StandardTransformer.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw LuaUsageError("unknown standard transformer '\(name)': there are \(known)")
            }
            return standard
        }
    }
}
