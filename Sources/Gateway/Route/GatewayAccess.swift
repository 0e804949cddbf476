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
    /// Those of them that make a partition.
    let credentials: Set<String>
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
    let proxies: TrustedProxies
    /// See ``GatewayConfiguration/proxyProtocolListeners``.
    let proxyListeners: Set<String>
    /// The clients that are let in.
    var identities: ClientIdentities
    /// See ``GatewayConfiguration/eventCredentials``.
    let eventCredentials: EventCredentials?
    private let operatorListeners: Set<String>
    /// See ``GatewayConfiguration/hasOperatorsElsewhere``.
    let hasOperatorsElsewhere: Bool
    /// Each request gets a record.
    var recordsRequests: Bool { accessLog != nil || spans != nil }
    /// Access policies by listener and by the client's number; see ``ClientIdentities``.
    private let accessPolicies: [Place: AccessPolicy]

    private struct Place: Hashable {
        let listener: String?
        let identity: Int?
    }

    /// - Parameters:
    ///   - authority: The authority of ``GatewayConfiguration/clientCertificates``.
    ///   - previous: The access so far; see ``ClientIdentities``.
    init(
        _ configuration: GatewayConfiguration, authority: [UInt8]? = nil, after previous: GatewayAccess? = nil
    ) throws(GatewayError) {
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
        credentials = Set(configuration.forwardedCredentials.map { $0.lowercased() })
        // Parts and preconditions choose no representation.
        let deciding = forwarded.subtracting(ProxiedRequest.conditions).subtracting(["range", "if-range"])
        vary = deciding.isEmpty ? nil : deciding.sorted().joined(separator: ", ")
        kept = HeaderNames(ForwardedHeaders.usual.union(configuration.keptHeaders.map { $0.lowercased() }))
        accessLog = configuration.accessLog
        spans = configuration.spans
        hostNames = HostNames(configuration.serverNames)
        let identities = ClientIdentities(
            configuration, authority: authority, after: previous?.identities)
        self.identities = identities
        eventCredentials = configuration.eventCredentials
        // The operators' gateway lets only operators in. Without credentials the client's address decides.
        operatorListeners =
            configuration.audience == .operators && !identities.isOpen
            ? Set(configuration.listen) : configuration.operatorListeners
        hasOperatorsElsewhere = configuration.hasOperatorsElsewhere
        proxies = try configuration.proxies()
        proxyListeners = configuration.proxyProtocolListeners
        let exposed = identities.access.map(\.expose)
        methods = Self.methods(
            ([configuration.expose] + exposed).compactMap { $0 } + configuration.listenerPolicy.values,
            routes)
        var accessPolicies: [Place: AccessPolicy] = [:]
        let listeners: [(String?, AccessPolicy)] =
            [(nil, usual)]
            + (try configuration.listenerPolicy.map { (listener, rules) throws(GatewayError) in
                (listener, try AccessPolicy(rules))
            })
        for (listener, shown) in listeners {
            accessPolicies[Place(listener: listener, identity: nil)] = shown
            for (index, expose) in exposed.enumerated() {
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
            HostRoute(rawValue: name).flatMap {
                $0.isForClients(operatorsElsewhere: hasOperatorsElsewhere) ? $0.methods : nil
            } ?? []
        case .resource(let path): accessPolicy(listener, nil).methods(of: path.service)
        case .server: ["GET", "HEAD"]
        case .nothing: []
        }
    }

    /// A client that was recognised, with its access at a listener.
    func client(
        _ identity: ClientIdentities.Identity, _ certificate: ClientCertificate?, at listener: String
    ) -> GatewayLoop.Client {
        GatewayLoop.Client(
            accessPolicy: accessPolicy(listener, identity.number), isAuthorized: true,
            name: identity.name,
            isOperator: operatorListeners.contains(listener)
                || identity.number.map { identities.access[$0].isOperator } ?? false,
            claims: identity.claims,
            certificate: certificate?.authority == identities.authority ? certificate?.names : nil)
    }

    /// The client with a name, whatever it shows; nil if no token, key or certificate has it. Issuers of
    /// tokens may give any name.
    func client(named name: String, at listener: String) -> GatewayLoop.Client? {
        identities.find(named: name).map { client($0, nil, at: listener) }
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
