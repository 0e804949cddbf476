import NIOCore
import Platform
import RestEngine

/// A checked update whose new addresses are already bound. The caller commits or discards it.
public struct PreparedGatewayUpdate: Sendable {
    let configuration: GatewayConfiguration
    let access: GatewayRules.Access
    let secrets: ListenerSecrets
    /// One listener for each address of the update, in its order.
    let listeners: [Listener]
    let opened: [Listener]
    let closing: [Listener]
}

extension Gateway {
    /// Checks an update and listens on the addresses that it adds. Everything else stays until
    /// ``commit(_:)``. If the update is impossible this throws, and nothing has changed.
    ///
    /// The length of a sweep, and with it the precision of times, stays that of the gateway's start. New
    /// sizes of heads and bodies apply to later connections. Prepare one update at a time. Blocks while
    /// addresses are bound.
    ///
    /// - Parameter left: Addresses that another gateway leaves when this update is committed.
    public func prepare(
        _ update: GatewayConfiguration, taking left: LeftAddresses = .none
    ) throws(GatewayError) -> PreparedGatewayUpdate {
        try update.check()
        let secrets = try ListenerSecrets(update)
        let access = try GatewayRules.Access(
            update, authority: secrets.authority, after: engine.rules.currentAccess)
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
                let listener = try bind(address, text, update, secrets, running, left)
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

    /// Applies the new rules from the next request on, to all clients and all remembered answers. Listeners
    /// that the update removes stop. Their connections end with the request under way.
    @EngineActor
    public func commit(_ prepared: PreparedGatewayUpdate) {
        engine.rules.replace(prepared.access)
        running?.room.allow(prepared.access.limits.maxConnections)
        prepared.secrets.take(over: prepared.listeners, prepared.configuration)
        let isRunning = setListeners(
            prepared.listeners, of: prepared.configuration, prepared.secrets)
        if isRunning { for listener in prepared.opened { listener.resume() } }
        let closing = isRunning ? prepared.closing : prepared.opened
        let loops = running?.loops ?? []
        for listener in closing { listener.leave(loops) }
    }

    /// Closes the addresses that ``prepare(_:taking:)`` opened.
    public func discard(_ prepared: PreparedGatewayUpdate) {
        let loops = running?.loops ?? []
        for listener in prepared.opened { listener.leave(loops) }
    }

    /// The addresses that an update would leave; nil stops the gateway.
    public func addressesLeft(by update: GatewayConfiguration?) -> LeftAddresses {
        let kept = (try? ListenAddress.list(update?.listen ?? []))?.map(\.address) ?? []
        return LeftAddresses(listeners: (running?.listeners ?? []).filter { !kept.contains($0.address) })
    }

    /// Begins to accept connections on addresses that another gateway has left.
    public func takeOver() { for listener in running?.listeners ?? [] { listener.resume() } }

    /// Reads certificates and keys again, for later connections. Existing connections stay, unless their
    /// client's certificate belongs to an authority that is no longer trusted. If the files are invalid this
    /// throws, and nothing has changed. Blocks while the files are read.
    @EngineActor
    public func renewCertificates() throws(GatewayError) {
        guard let running else { throw .notRunning }
        let secrets = try ListenerSecrets(running.configuration)
        secrets.take(over: running.listeners, running.configuration)
        _ = setListeners(running.listeners, of: running.configuration, secrets)
        var access = engine.rules.currentAccess
        guard access.identities.authority != secrets.authority else { return }
        access.identities.authority = secrets.authority
        engine.rules.replace(access)
    }

    /// See ``GatewayConfiguration/certificateFiles``; empty unless the gateway runs.
    public var certificateFiles: Set<String> { running?.configuration.certificateFiles ?? [] }

    /// The files with certificates, and when the first certificate of each ends, in Unix seconds.
    public var certificateEnds: [String: Double] { running?.certificateEnds ?? [:] }

    /// Names the overlap if an address such as `0.0.0.0:80` can't be bound beside `127.0.0.1:80`.
    private static func explain(_ error: GatewayError, _ running: Running) -> GatewayError {
        guard case .addressInUse(let text) = error, let colon = text.lastIndex(of: ":"),
            let own = running.listeners.first(where: { $0.text.hasSuffix(text[colon...]) })
        else { return error }
        return .addressOverlaps(text, with: own.text)
    }
}
