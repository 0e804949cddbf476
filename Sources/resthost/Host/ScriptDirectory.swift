import Gateway
import RestEngine
import RestScript

/// Where the gateway finds the services of the script that runs.
@EngineActor
final class ScriptDirectory: GatewayDirectory {
    private let host: ScriptHost

    init(_ host: ScriptHost) { self.host = host }

    func service(named name: String) -> Service? { host.service(named: name) }

    var serviceNames: [String] { host.services.map(\.name) }

    var health: GatewayHealth { GatewayHealth() }
}
