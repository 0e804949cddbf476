import Gateway
import RestEngine
import RestScript

/// The gateway of a script in a test, which has no sockets.
@EngineActor
enum ScriptServer {
    static func make(
        _ script: ScriptHost, uptime: Double, now: Double
    ) throws(Diagnostic) -> any LocalServer {
        let listen = script.gateway == nil ? [GatewaySettings.defaultAddress] : []
        guard
            let configuration = try GatewaySettings.configuration(for: script, listen: listen, threads: 1)
        else { throw Diagnostic(.error, "the script declares no gateway") }
        do throws(GatewayError) {
            return try LocalGateway(
                configuration, directory: ServedScript(script), uptime: uptime, now: now)
        } catch { throw GatewaySettings.diagnostic(error, script, listen: listen) }
    }
}

/// The services of one script.
@EngineActor
private final class ServedScript: GatewayDirectory {
    private weak var script: ScriptHost?

    init(_ script: ScriptHost) { self.script = script }

    func service(named name: String) -> Service? { script?.service(named: name) }

    var serviceNames: [String] { script?.services.map(\.name) ?? [] }

    var engine: Engine? { script?.engine }

    var health: GatewayHealth { GatewayHealth() }
}
