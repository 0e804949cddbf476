import Gateway
import RestEngine

/// A gateway of a run, if there is one. Each load of the script may change, add or remove it.
@EngineActor
final class ReloadedGateway {
    /// A checked change of the gateway. New addresses are already bound.
    enum Change {
        case none
        case start(Gateway)
        case update(PreparedGatewayUpdate)
        case stop
    }

    private(set) var gateway: Gateway?
    private let directory: any GatewayDirectory
    private let control: any HostControl
    private let drain: Double

    /// - Parameter drain: The seconds that requests have when the gateway stops.
    init(directory: any GatewayDirectory, control: any HostControl, drain: Double) {
        (self.directory, self.control, self.drain) = (directory, control, drain)
    }

    /// The bound addresses. A port that the system chose has its number.
    var listening: [String] { gateway?.listening ?? [] }

    /// Does everything that can fail. The caller then calls ``commit(_:)`` or ``discard(_:)``.
    ///
    /// - Parameters:
    ///   - configuration: Nil for none.
    ///   - left: Addresses that another gateway leaves in the same reload.
    func prepare(
        _ configuration: GatewayConfiguration?, taking left: LeftAddresses
    ) throws(GatewayError) -> Change {
        guard let configuration else { return gateway == nil ? .none : .stop }
        if let gateway { return .update(try gateway.prepare(configuration, taking: left)) }
        let new = try Gateway(configuration, directory: directory, control: control)
        _ = try new.start(taking: left)
        return .start(new)
    }

    /// Applies a change. It is called in the tick in which the script takes over, so that each request meets
    /// a matching script and gateway. Returns the new addresses as they are bound.
    func commit(_ change: Change) -> [String] {
        let before = listening
        switch change {
        case .none: break
        case .start(let new):
            gateway = new
            new.takeOver()
        case .update(let prepared): gateway?.commit(prepared)
        case .stop:
            let (old, drain) = (gateway, drain)
            gateway = nil
            // The stop ends on the loop, because the gateway may hold the last reference to an object of the
            // engine.
            Task { await old?.stop(drain: drain) }
        }
        return listening.filter { !before.contains($0) }
    }

    /// The addresses that this gateway leaves when it gets a configuration; nil for none.
    func addressesLeft(by configuration: GatewayConfiguration?) -> LeftAddresses {
        gateway?.addressesLeft(by: configuration) ?? .none
    }

    func discard(_ change: Change) {
        switch change {
        case .none, .stop: break
        case .start(let new): Task { await new.stop(drain: 0) }
        case .update(let prepared): gateway?.discard(prepared)
        }
    }

    /// Returns what did not end by itself.
    @discardableResult
    func stop(drain seconds: Double? = nil) async -> GatewayCut {
        await gateway?.stop(drain: seconds ?? drain) ?? GatewayCut()
    }
}
