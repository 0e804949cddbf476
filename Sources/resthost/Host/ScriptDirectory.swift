import Gateway
import RestEngine
import RestScript

/// Where the gateway finds the services of the script that runs.
@EngineActor
final class ScriptDirectory: GatewayDirectory {
    private let generations: Generations

    init(_ generations: Generations) { self.generations = generations }

    func service(named name: String) -> Service? { generations.current.service(named: name) }

    var serviceNames: [String] { generations.current.services.map(\.name) }

    /// A host whose last reload failed goes on with what it had.
    var health: GatewayHealth {
        if let stall = generations.current.stalledModules { return GatewayHealth(.degraded, message: stall) }
        guard let failure = generations.lastFailure else { return GatewayHealth() }
        let line = DiagnosticText(style: .plain).headline(failure.diagnostic)
        return GatewayHealth(
            .degraded, message: "the last reload failed, the script before it goes on: \(line)")
    }
}
