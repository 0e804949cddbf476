import Platform
import RestEngine
import Synchronization

/// The part of the rules that network threads need.
struct GatewayAccess: Sendable {
    var version = 1
    /// The access policy where no other one applies.
    let accessPolicy: AccessPolicy
    let hostNames: HostNames
    let limits: GatewayLimits
    let routes: RouteTable
    let hooks: HookTable
    let origins: OriginRules
    /// Nil: no limit.
    let rates: ClientRates?
    /// Nil: no limit.
    let requests: ClientSlots?
    let streams: ClientSlots
    /// Names of clients' headers that go to the API, in lower case.
    let forwarded: Set<String>
    /// Those of them that decide which representation a client gets, for Vary; nil for none.
    let vary: String?
    /// Names of the API's headers that go to clients, in lower case.
    let kept: HeaderNames
    /// See ``GatewayConfiguration/accessLog``.
    let accessLog: (@Sendable (AccessRecord) -> Void)?
    /// See ``GatewayConfiguration/spans``.
    let spans: (@Sendable (AccessRecord, TraceSpan) -> Void)?
    /// All methods that this gateway answers for some path.
    private let methods: Set<String>
    /// Clients need no credentials.
    let isOpen: Bool
    private let tokens: [BearerToken]
    /// See ``GatewayConfiguration/eventCredentials``.
    let eventCredentials: EventCredentials?
    /// The numbers of tokens and clients that belong to operators.
    private let operators: Set<Int>
    private let operatorListeners: Set<String>
    /// The authority of clients' certificates; see ``ListenerSecrets/authority``.
    var authority: [UInt8]?
    /// The names that certificates may have; nil: any.
    private let clients: [String]?
    /// Each request gets a record.
    var recordsRequests: Bool { accessLog != nil || spans != nil }
    /// Access policies by listener and by the client's number: first tokens, then ``clients``.
    private let accessPolicies: [Place: AccessPolicy]

    private struct Place: Hashable {
        let listener: String?
        let identity: Int?
    }

    /// - Parameter authority: The authority of ``GatewayConfiguration/clientCertificates``.
    init(_ configuration: GatewayConfiguration, authority: [UInt8]? = nil) throws(GatewayError) {
        let usual = try AccessPolicy(configuration.expose)
        accessPolicy = usual
        limits = configuration.limits
        routes = try RouteTable(configuration.routes)
        hooks = try HookTable(configuration.hooks)
        origins = OriginRules(configuration.cors, keeping: configuration.keptHeaders)
        rates = configuration.limits.perClient.map(ClientRates.init)
        requests = configuration.limits.requestsPerClient.map(ClientSlots.init)
        streams = ClientSlots(configuration.limits.streamsPerClient ?? configuration.limits.usualStreams)
        forwarded = Set(configuration.forwardedHeaders.map { $0.lowercased() })
        // Parts and preconditions choose no representation.
        let deciding = forwarded.subtracting(ProxiedRequest.conditions).subtracting(["range", "if-range"])
        vary = deciding.isEmpty ? nil : deciding.sorted().joined(separator: ", ")
        kept = HeaderNames(ForwardedHeaders.usual.union(configuration.keptHeaders.map { $0.lowercased() }))
        accessLog = configuration.accessLog
        spans = configuration.spans
        hostNames = HostNames(configuration.serverNames)
        var all = configuration.tokens
        if let token = configuration.bearerToken {
            all.append(GatewayToken(name: "bearer", secret: .text(token)))
        }
        tokens = all.map(BearerToken.init)
        eventCredentials = configuration.eventCredentials
        let certificates = configuration.clientCertificates
        isOpen = all.isEmpty && certificates == nil
        self.authority = authority
        clients = certificates?.clients?.map(\.name)
        let known = certificates?.clients ?? []
        let isOperator = all.map(\.isOperator) + known.map(\.isOperator)
        operators = Set(isOperator.indices.filter { isOperator[$0] })
        operatorListeners = configuration.operatorListeners
        let identities: [[String: ExposeRule]?] = all.map { $0.expose } + known.map { $0.expose }
        methods = Self.methods(
            ([configuration.expose] + identities).compactMap { $0 } + configuration.listenerPolicy.values,
            routes)
        var accessPolicies: [Place: AccessPolicy] = [:]
        let listeners: [(String?, AccessPolicy)] =
            [(nil, usual)]
            + (try configuration.listenerPolicy.map { (listener, rules) throws(GatewayError) in
                (listener, try AccessPolicy(rules))
            })
        for (listener, shown) in listeners {
            accessPolicies[Place(listener: listener, identity: nil)] = shown
            for (index, expose) in identities.enumerated() {
                accessPolicies[Place(listener: listener, identity: index)] =
                    expose == nil ? shown : try AccessPolicy(expose, within: shown)
            }
        }
        self.accessPolicies = accessPolicies
    }

    /// The methods of RFC 9110 9.3, RFC 5789 and RFC 10008, and those that some client may send to an API or
    /// a route.
    private static func methods(_ exposed: [[String: ExposeRule]], _ routes: RouteTable) -> Set<String> {
        let own = exposed.flatMap { $0.values.flatMap(\.methods) }.compactMap(Method.normalized)
        return Set(Method.known + ["CONNECT", "TRACE", "QUERY"] + own + routes.all.map(\.method))
    }

    /// Other methods are not possible at any path (RFC 9110 15.6.2).
    func knows(method: String) -> Bool { method == "GET" || methods.contains(method) }

    /// The methods of a target that some client may use at a listener. Pages ask for them before they send
    /// credentials.
    func methods(of target: [UInt8], at listener: String) -> [String] {
        if case .otherMethods(let methods) = routes.match("OPTIONS", target) { return methods }
        return switch target.withUnsafeBytes({ RequestTarget($0) }) {
        case .host(let name, _):
            HostRoute(rawValue: name).flatMap { $0.isForClients ? $0.methods : nil } ?? []
        case .resource(let path): accessPolicy(listener, nil).methods(of: path.service)
        case .server: ["GET", "HEAD"]
        case .nothing: []
        }
    }

    /// Clients need a token, unless a certificate identifies them.
    var wantsToken: Bool { !tokens.isEmpty }

    /// The client with these credentials; nil if it may not send requests. A known token takes precedence
    /// over a certificate.
    func client(
        _ authorization: UnsafeRawBufferPointer?, _ certificate: ClientCertificate?, at listener: String
    ) -> GatewayLoop.Client? {
        func client(_ identity: Int?, _ name: String?) -> GatewayLoop.Client {
            GatewayLoop.Client(
                accessPolicy: accessPolicy(listener, identity), isAuthorized: true, name: name,
                isOperator: operatorListeners.contains(listener) || identity.map(operators.contains) ?? false)
        }
        if isOpen { return client(nil, nil) }
        if let authorization, let index = tokens.firstIndex(where: { $0.accepts(authorization) }) {
            return client(index, tokens[index].name)
        }
        guard let certificate, certificate.authority == authority else { return nil }
        guard let clients else { return client(nil, certificate.names.first ?? "certificate") }
        return clients.firstIndex(where: certificate.names.contains).map {
            client(tokens.count + $0, clients[$0])
        }
    }

    /// The client with a name, whatever it shows; nil if no token or certificate has it.
    func client(named name: String, at listener: String) -> GatewayLoop.Client? {
        let names = tokens.map(\.name) + (clients ?? [])
        guard let identity = names.firstIndex(of: name) else { return nil }
        return GatewayLoop.Client(
            accessPolicy: accessPolicy(listener, identity), isAuthorized: true, name: name,
            isOperator: operatorListeners.contains(listener) || operators.contains(identity))
    }

    /// The problem for a client that ``client(_:_:at:)`` doesn't accept.
    func refusal(of certificate: ClientCertificate?) -> Problem {
        if !tokens.isEmpty { return .unauthorized }
        return Problem(
            403, "certificate_needed",
            certificate == nil
                ? "a client certificate is needed, signed by this gateway's authority for clients"
                : "the client's certificate has none of the accepted names, or another authority signed it"
        )
    }

    /// A client that showed no credentials and gets few details.
    var stranger: GatewayLoop.Client {
        GatewayLoop.Client(accessPolicy: accessPolicy, isAuthorized: false, name: nil)
    }

    private func accessPolicy(_ listener: String, _ identity: Int?) -> AccessPolicy {
        accessPolicies[Place(listener: listener, identity: identity)]
            ?? accessPolicies[Place(listener: nil, identity: identity)] ?? accessPolicy
    }
}

/// A token of a client.
public struct GatewayToken: Sendable, Equatable {
    public enum Secret: Sendable, Equatable {
        case text(String)
        /// The hash of the token's UTF-8.
        case sha256([UInt8])
    }

    /// The client's name in logs and limits.
    public var name: String
    public var secret: Secret
    /// Access within the listener's rules; nil: all that the listener shows.
    public var expose: [String: ExposeRule]?
    /// The client may read the host's state: `/-/resources`, `/-/explain`, `/-/metrics` and `/-/events`.
    public var isOperator: Bool

    public init(
        name: String, secret: Secret, expose: [String: ExposeRule]? = nil, isOperator: Bool = false
    ) {
        self.name = name
        self.secret = secret
        self.expose = expose
        self.isOperator = isOperator
    }
}

/// A token that clients may send (RFC 6750 2.1).
struct BearerToken: Sendable {
    let name: String
    private let secret: [UInt8]
    private let isHashed: Bool

    init(_ token: GatewayToken) {
        name = token.name
        switch token.secret {
        case .text(let text): (secret, isHashed) = (Array(text.utf8), false)
        case .sha256(let hash): (secret, isHashed) = (hash, true)
        }
    }

    /// Takes the same time for every wrong token of the right length.
    func accepts(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.count > 7, value.equalsIgnoringCase("bearer ", at: 0) else { return false }
        var given = UnsafeRawBufferPointer(rebasing: value[7...])
        while given.first == .space { given = UnsafeRawBufferPointer(rebasing: given[1...]) }
        if isHashed {
            guard let hash = HashFunction.sha256.digest(of: Array(given)) else { return false }
            return hash.withUnsafeBytes(isEqual)
        }
        return isEqual(given)
    }

    private func isEqual(_ given: UnsafeRawBufferPointer) -> Bool {
        guard given.count == secret.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(given, secret) { difference |= a ^ b }
        return difference == 0
    }
}
