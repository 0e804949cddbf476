import NIOCore
import Platform
import RestEngine

/// An update that was found possible: its new addresses are bound already. It is either committed or
/// discarded.
public struct PreparedGatewayUpdate: Sendable {
    let configuration: GatewayConfiguration
    let access: GatewayRules.Access
    let secrets: ListenerSecrets
    /// One for each address of the update, in its order.
    let listeners: [Listener]
    let opened: [Listener]
    let closing: [Listener]
}

extension Gateway {
    /// Checks an update and listens on the addresses that it adds. Nothing else changes until ``commit(_:)``;
    /// throws when it can't be done, and then nothing has changed at all.
    ///
    /// The length of a sweep, and with it how exact times are, stays that of the gateway's start; sizes of
    /// heads and bodies are those for connections which come later. One update at a time. Blocks while
    /// addresses are bound.
    public func prepare(_ update: GatewayConfiguration) throws(GatewayError) -> PreparedGatewayUpdate {
        try update.check()
        let secrets = try ListenerSecrets(update)
        let access = try GatewayRules.Access(update, authority: secrets.authority)
        let addresses = try ListenAddress.list(update.listen)
        guard let running else { throw .notRunning }
        var listeners: [Listener] = []
        var opened: [Listener] = []
        for (text, address) in addresses {
            if let kept = running.listeners.first(where: { $0.address == address }) {
                listeners.append(kept)
                continue
            }
            do throws(GatewayError) {
                let listener = try bind(address, text, update, secrets, running)
                listeners.append(listener)
                opened.append(listener)
            } catch {
                for listener in opened { listener.close() }
                throw Self.explain(error, running)
            }
        }
        let closing = running.listeners.filter { old in
            !listeners.contains { $0.address == old.address }
        }
        return PreparedGatewayUpdate(
            configuration: update, access: access, secrets: secrets, listeners: listeners, opened: opened,
            closing: closing)
    }

    /// From the next request on the new rules hold, whoever asks and whatever was remembered. Listeners that
    /// are left over stop; their connections end with the request under way.
    @EngineActor
    public func commit(_ prepared: PreparedGatewayUpdate) {
        engine.rules.replace(prepared.access)
        running?.room.allow(prepared.access.limits.maxConnections)
        prepared.secrets.take(over: prepared.listeners, prepared.configuration)
        let isRunning = setListeners(prepared.listeners, of: prepared.configuration)
        let closing = isRunning ? prepared.closing : prepared.opened
        let loops = running?.loops ?? []
        for listener in closing { listener.leave(loops) }
    }

    /// Gives up what ``prepare(_:)`` opened.
    public func discard(_ prepared: PreparedGatewayUpdate) {
        let loops = running?.loops ?? []
        for listener in prepared.opened { listener.leave(loops) }
    }

    /// Reads certificates and keys again, for connections that come from now on; those that are there stay as
    /// they are, unless their client's certificate is of an authority that is asked for no more. Throws when
    /// the files are no good, and then nothing has changed. Blocks while they are read.
    @EngineActor
    public func renewCertificates() throws(GatewayError) {
        guard let running else { throw .notRunning }
        let secrets = try ListenerSecrets(running.configuration)
        secrets.take(over: running.listeners, running.configuration)
        var access = engine.rules.currentAccess
        guard access.authority != secrets.authority else { return }
        access.authority = secrets.authority
        engine.rules.replace(access)
    }

    /// See ``GatewayConfiguration/certificateFiles``; empty unless it runs.
    public var certificateFiles: Set<String> { running?.configuration.certificateFiles ?? [] }

    /// `0.0.0.0:80` can't be bound beside `127.0.0.1:80`.
    private static func explain(_ error: GatewayError, _ running: Running) -> GatewayError {
        guard case .addressInUse(let text) = error, let colon = text.lastIndex(of: ":"),
            let own = running.listeners.first(where: { $0.text.hasSuffix(text[colon...]) })
        else { return error }
        return .addressOverlaps(text, with: own.text)
    }
}
