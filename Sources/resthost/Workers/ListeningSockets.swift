import Gateway
import Platform
import RestEngine

/// The origin of the sockets that the gateways of a run listen on.
enum ListeningSockets {
    /// The gateways bind their addresses, except those that the service manager has passed, by address.
    case own(given: [String: Int32])
    /// The supervisor binds all addresses, for all workers.
    case shared(WorkerLink)

    /// Adds the sockets for the addresses of a configuration that listen already.
    ///
    /// - Parameter role: The name of the gateway.
    @EngineActor
    func add(to configuration: inout GatewayConfiguration, role: String) throws(GatewayError) {
        switch self {
        case .own(let given): configuration.inheritedSockets = given
        case .shared(let link):
            configuration.sharedSockets = try link.sockets(for: configuration, role: role)
        }
    }
}
