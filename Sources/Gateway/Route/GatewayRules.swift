import RestEngine
import Synchronization

/// What is shown, and to whom. Replaced as a whole, on the engine loop, while the gateway runs.
///
/// Network threads look at the version before each request and drop what they remember of older rules. An answer that was
/// asked for under older rules still goes out, but is not remembered.
final class GatewayRules: Sendable {
    /// The part that network threads need.
    struct Access {
        var version = 1
        var token: BearerToken?
        var hostNames: HostNames
        var limits: GatewayLimits
        /// See ``GatewayConfiguration/accessLog``.
        var accessLog: (@Sendable (AccessRecord) -> Void)?

        init(
            bearerToken: String?, serverNames: [String], limits: GatewayLimits,
            accessLog: (@Sendable (AccessRecord) -> Void)?
        ) {
            self.limits = limits
            self.accessLog = accessLog
            token = bearerToken.map(BearerToken.init)
            hostNames = HostNames(serverNames)
        }
    }

    @EngineActor private(set) var exposure: Exposure
    private let access: Mutex<Access>
    private let newest = Atomic(1)

    init(_ exposure: Exposure, _ access: Access) {
        self.exposure = exposure
        self.access = Mutex(access)
    }

    var version: Int { newest.load(ordering: .acquiring) }

    var currentAccess: Access { access.withLock { $0 } }

    @EngineActor
    func replace(_ exposure: Exposure, _ access: Access) {
        self.exposure = exposure
        self.access.withLock { current in
            let version = current.version + 1
            current = access
            current.version = version
            newest.store(version, ordering: .releasing)
        }
    }

    /// Whether clients may know of it.
    @EngineActor
    func isShown(_ resource: Resource, of service: Service) -> Bool {
        guard let url = resource.url, let base = service.baseURL else { return exposure.showsEverything }
        return exposure.isExposed(url, service: service.name, base: base)
    }
}
