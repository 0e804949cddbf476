import Gateway
import RestEngine
import RestScript

/// Makes the gateway's configuration from the script's declaration and the command line.
@EngineActor
enum GatewaySettings {
    static let defaultAddress = "127.0.0.1:8080"

    /// Nil when neither requires a gateway. Throws the fault of the declaration, or of `resthost.toml`.
    ///
    /// - Parameter operators: The operators' addresses of the command line.
    static func configuration(
        for host: ScriptHost, listen asked: [String], operators: [String] = [], threads: Int?
    ) throws(Diagnostic) -> GatewayConfiguration? {
        let declaration = host.gateway
        let settingsFile = try SettingsFile.beside(host.path)
        let file = settingsFile.gateway
        let listen = asked.isEmpty ? file.listen : asked
        guard declaration != nil || !listen.isEmpty else { return nil }
        var settings = GatewayConfiguration()
        settings.listen = addresses(declaration, listen)
        settings.threads = threads ?? file.threads
        settings.hasOperatorsElsewhere = !(operators.isEmpty && settingsFile.operators.listen.isEmpty)
        settings.bearerToken = declaration?.bearerToken
        settings.eventCredentials = declaration?.eventSource.map {
            EventCredentials(cookie: $0.cookie, parameter: $0.parameter)
        }
        settings.limits = limits(declaration)
        file.apply(to: &settings.limits)
        settings.serverNames = declaration?.serverNames ?? []
        settings.forwardedHeaders = declaration?.forwardedHeaders ?? []
        settings.forwardedCredentials = declaration?.forwardedCredentials ?? []
        settings.keptHeaders = declaration?.keptHeaders ?? []
        settings.routes = try routes(declaration)
        settings.hooks = try hooks(declaration)
        if let declaration {
            try addAccessPolicy(declaration, host.services.map(\.name), to: &settings)
            settings.socketModes = declaration.socketModes
            settings.operatorListeners = declaration.operatorListeners
            settings.trustedProxies = declaration.trustedProxies
            settings.proxyProtocolListeners = declaration.proxyProtocolListeners
            settings.cors = declaration.cors.map(cors)
            settings.tls = declaration.tls.map(tls)
            settings.listenerTLS = declaration.listenerTLS.mapValues { $0.map(tls) }
        }
        do throws(GatewayError) { try settings.check() } catch {
            throw diagnostic(error, host, listen: asked)
        }
        return settings
    }

    /// A fault of a route has the route's own line.
    private static func routes(_ declaration: GatewayDeclaration?) throws(Diagnostic) -> [GatewayRoute] {
        let declared = declaration?.routes ?? []
        let routes = declared.map(GatewayRoute.init)
        func fault(ofFirst count: Int) -> GatewayError? {
            var settings = GatewayConfiguration(listen: [])
            settings.routes = Array(routes.prefix(count))
            do throws(GatewayError) { try settings.check() } catch { return error }
            return nil
        }
        guard var error = fault(ofFirst: routes.count) else { return routes }
        // Looks for the first route with a fault by halves, because there may be thousands.
        var (good, bad) = (0, routes.count)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if let found = fault(ofFirst: middle) { (bad, error) = (middle, found) } else { good = middle }
        }
        let route = declared[bad - 1]
        throw Diagnostic(
            .error, code: "gateway", "\(error)", file: route.file, line: route.line,
            hint: "a route looks like gateway:route(\"GET\", \"/report/{day}\", fn)")
    }

    /// A fault of a hook has the hook's own line.
    private static func hooks(_ declaration: GatewayDeclaration?) throws(Diagnostic) -> [GatewayHook] {
        var hooks: [GatewayHook] = []
        for declared in declaration?.hooks ?? [] {
            let hook = GatewayHook(declared)
            var settings = GatewayConfiguration(listen: [])
            settings.hooks = [hook]
            do throws(GatewayError) { try settings.check() } catch {
                throw Diagnostic(
                    .error, code: "gateway", "\(error)", file: declared.file, line: declared.line,
                    hint: "a hook looks like gateway:\(declared.stage.rawValue)(\"/github/**\", fn)")
            }
            hooks.append(hook)
        }
        return hooks
    }

    /// Addresses of the command line take precedence.
    private static func addresses(_ declaration: GatewayDeclaration?, _ listen: [String]) -> [String] {
        if !listen.isEmpty { return listen }
        let declared = declaration?.listen ?? []
        return declared.isEmpty ? [defaultAddress] : declared
    }

    private static func limits(_ declaration: GatewayDeclaration?) -> GatewayLimits {
        var limits = GatewayLimits()
        guard let declaration else { return limits }
        limits.requestTimeout = declaration.timeout
        limits.apply(declaration.limits)
        return limits
    }

    /// Names the declaration, or the settings that replace it, unless the fault is in the command line.
    ///
    /// - Parameter listen: The addresses of the command line.
    static func diagnostic(_ error: GatewayError, _ host: ScriptHost, listen: [String]) -> Diagnostic {
        var diagnostic = Diagnostic(.error, code: "gateway", "\(error)", hint: hint(error))
        switch error {
        case .badAccessPolicy, .badHeader, .secretHeader, .unforwardedCredential, .badRoute, .badCORS,
            .badCertificate, .badTLS, .badCredentials,
            .badProxies, .openToOperators:
            break
        default:
            if !listen.isEmpty { return diagnostic }
            if let line = (try? SettingsFile.beside(host.path))?.gateway.listenLine {
                (diagnostic.file, diagnostic.line) = (SettingsFile.path(beside: host.path), line)
                return diagnostic
            }
        }
        diagnostic.file = host.gateway?.file
        diagnostic.line = host.gateway?.line
        return diagnostic
    }

    static func hint(_ error: GatewayError) -> String? {
        switch error {
        case .addressInUse:
            "stop it, or choose another address with --listen; port 0 lets the system choose one"
        case .badAddress: "an address looks like 127.0.0.1:8080, [::1]:8080 or unix:/run/resthost.sock"
        case .addressOverlaps:
            "an address and one that contains it can't be exchanged while the host runs: restart it"
        case .addressNotAvailable: "127.0.0.1 is this machine, and only its own programs can reach it"
        case .badHeader, .secretHeader, .unforwardedCredential:
            "forward = { headers = { … } } lists headers from clients to the API, keep = { headers = { … } } those from the API"
        case .badCertificate:
            "both are files in PEM; a certificate and its key print the same with openssl x509 -in FILE -noout -pubkey "
                + "and openssl pkey -in FILE -pubout"
        case .badTLS: "tls = { certificate = …, key = … } is for all addresses but Unix sockets"
        case .openToOperators:
            "auth = { tokens = { { name = \"ops\", sha256 = …, operator = true } } }, or listen on 127.0.0.1"
        case .permissionDenied, .missingFolder, .badAccessPolicy, .badRoute, .badCORS, .badCredentials,
            .badProxies,
            .alreadyStarted, .notRunning, .cannotListen:
            nil
        }
    }

    /// A warning when everyone who can reach the machine can use the script's services.
    ///
    /// - Parameter asked: The addresses of the command line. They take precedence over those of
    ///   `resthost.toml`, which take precedence over the script's.
    static func openAddress(of host: ScriptHost, listen asked: [String] = []) -> Diagnostic? {
        let declaration = host.gateway
        let listen = asked.isEmpty ? (try? SettingsFile.beside(host.path))?.gateway.listen ?? [] : asked
        let addresses = listen.isEmpty ? declaration?.listen ?? [] : listen
        guard declaration?.hasAuth != true,
            let address = addresses.first(where: isOpen)
        else {
            return nil
        }
        return Diagnostic(
            .warning, code: "open_gateway",
            "the gateway listens on all addresses of this machine ('\(address)') and has no 'auth': everyone who can reach it "
                + "can use the services with the script's credentials",
            file: listen.isEmpty ? declaration?.file : nil, line: listen.isEmpty ? declaration?.line : nil,
            hint: "listen on 127.0.0.1, or ask for a token: auth = { bearer = rest.env.GATEWAY_TOKEN }")
    }

    /// True for `0.0.0.0`, `::` in all its forms, and an empty host.
    private static func isOpen(_ address: String) -> Bool {
        guard !address.hasPrefix("unix:"), let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon]
        return host.allSatisfy { "0.:[]".contains($0) }
    }

    private static func cors(_ declared: GatewayDeclaration.CORS) -> GatewayCORS {
        var cors = GatewayCORS(origins: declared.origins)
        (cors.methods, cors.headers) = (declared.methods, declared.headers)
        cors.allowsCredentials = declared.allowsCredentials
        cors.maxAge = declared.maxAge ?? cors.maxAge
        return cors
    }

    private static func tls(_ declared: GatewayDeclaration.TLS) -> GatewayTLS {
        GatewayTLS(certificate: declared.certificate, key: declared.key)
    }

    /// Sets the access policies: for all clients, by listener and by client.
    static func addAccessPolicy(
        _ declaration: GatewayDeclaration, _ services: [String], to settings: inout GatewayConfiguration
    ) throws(Diagnostic) {
        settings.expose = try accessPolicy(declaration.expose, declaration, services)
        for (address, rules) in declaration.listenerPolicy {
            settings.listenerPolicy[address] = try accessPolicy(rules, declaration, services)
        }
        settings.tokens = try tokens(declaration.tokens, declaration, services)
        if let keys = declaration.keys {
            settings.apiKeys = GatewayKeys(
                header: keys.header, keys: try tokens(keys.keys, declaration, services))
        }
        for user in declaration.users {
            settings.users.append(
                GatewayUser(
                    name: user.name, hash: user.hash,
                    expose: try accessPolicy(user.expose, declaration, services),
                    isOperator: user.isOperator))
        }
        if let jwt = declaration.jwt {
            settings.jwt = GatewayJWT(
                keys: jwt.keysAreFile ? .file(jwt.keys) : .url(jwt.keys),
                rules: TokenRules(
                    issuer: jwt.issuer, audiences: jwt.audiences, algorithms: jwt.algorithms,
                    clockSkew: jwt.clockSkew, required: jwt.required),
                expose: try accessPolicy(jwt.expose, declaration, services), isOperator: jwt.isOperator)
        }
        guard let authority = declaration.clientAuthority else { return }
        var certificates = GatewayClientCertificates(authority: authority)
        if let clients = declaration.clients {
            var known: [GatewayClientCertificates.Client] = []
            for client in clients {
                known.append(
                    .init(
                        name: client.name, expose: try accessPolicy(client.expose, declaration, services),
                        isOperator: client.isOperator))
            }
            certificates.clients = known
        }
        settings.clientCertificates = certificates
    }

    private static func tokens(
        _ declared: [GatewayDeclaration.Token], _ declaration: GatewayDeclaration, _ services: [String]
    ) throws(Diagnostic) -> [GatewayToken] {
        var tokens: [GatewayToken] = []
        for token in declared {
            tokens.append(
                GatewayToken(
                    name: token.name, secret: token.sha256.map { .sha256($0) } ?? .text(token.text ?? ""),
                    expose: try accessPolicy(token.expose, declaration, services),
                    isOperator: token.isOperator))
        }
        return tokens
    }

    private static func accessPolicy(
        _ expose: [String: GatewayDeclaration.AccessPolicy]?, _ declaration: GatewayDeclaration,
        _ services: [String]
    ) throws(Diagnostic) -> [String: ExposeRule]? {
        guard let expose else { return nil }
        for name in expose.keys.sorted() where !services.contains(name) {
            throw Diagnostic(
                .error, code: "gateway", "the gateway exposes '\(name)', but the script has no such service",
                file: declaration.file, line: declaration.line,
                hint: services.isEmpty ? nil : "its services are: \(services.joined(separator: ", "))")
        }
        return expose.mapValues { accessPolicy in
            ExposeRule(paths: accessPolicy.paths ?? ["**"], methods: accessPolicy.methods)
        }
    }
}

extension GatewayLimits {
    /// Takes those that are declared, and leaves the others.
    mutating func apply(_ declared: GatewayDeclaration.Limits) {
        maxConnections = declared.connections ?? maxConnections
        maxHeaderBytes = declared.headerBytes ?? maxHeaderBytes
        maxTargetBytes = declared.targetBytes ?? maxTargetBytes
        headerTimeout = declared.headerTimeout ?? headerTimeout
        idleTimeout = declared.idleTimeout ?? idleTimeout
        if let rate = declared.perClient {
            perClient = GatewayRate(requests: rate.requests, per: rate.per, burst: rate.burst)
        }
        requestsPerClient = declared.requestsPerClient ?? requestsPerClient
        streamsPerClient = declared.streamsPerClient ?? streamsPerClient
        maxBodyBytes = declared.bodyBytes ?? maxBodyBytes
        maxStreamedBodyBytes = declared.streamBodyBytes ?? maxStreamedBodyBytes
    }
}
