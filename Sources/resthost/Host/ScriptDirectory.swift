import Gateway
import RestEngine
import RestScript

/// The state of a run that decides its health and its readiness, beside the script's.
@EngineActor
final class HostCondition {
    /// The reason why renewed certificates can't be used; nil if all are.
    var certificateFailure: Diagnostic?
    /// The host ends soon, and clients should go elsewhere.
    var isLeaving = false
}

/// The services of the running script, for the gateway.
@EngineActor
final class ScriptDirectory: GatewayDirectory {
    private let generations: Generations

    private let condition: HostCondition

    init(_ generations: Generations, _ condition: HostCondition = HostCondition()) {
        (self.generations, self.condition) = (generations, condition)
    }

    func service(named name: String) -> Service? { generations.current.service(named: name) }

    var serviceNames: [String] { generations.current.services.map(\.name) }

    var engine: Engine? { generations.engine }

    var isReady: Bool { !condition.isLeaving }

    /// After a failed reload, a host continues with its last script, and with its last certificates.
    var health: GatewayHealth {
        if let stall = generations.current.stalledModules { return GatewayHealth(.degraded, message: stall) }
        if let failure = generations.lastFailure {
            return degraded("the last reload failed, the script before it goes on", failure.diagnostic)
        }
        if let failure = condition.certificateFailure {
            return degraded("a renewed certificate can't be used, the one before it goes on", failure)
        }
        if let failure = SharedServers.shared.failure(of: generations.engine) {
            return GatewayHealth(.degraded, message: failure)
        }
        return GatewayHealth()
    }

    private func degraded(_ text: String, _ diagnostic: Diagnostic) -> GatewayHealth {
        let line = DiagnosticText(style: .plain).headline(diagnostic)
        return GatewayHealth(.degraded, message: "\(text): \(line)")
    }
}
