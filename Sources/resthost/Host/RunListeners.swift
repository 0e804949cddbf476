import Gateway
import Platform
import RestEngine
import RestScript

/// All addresses of a run: of clients, of operators, the admin socket and the inspector.
@EngineActor
final class RunListeners {
    /// A checked change of the addresses that a script or its settings decide.
    struct Change {
        fileprivate let clients: ReloadedGateway.Change
        fileprivate let operators: ReloadedGateway.Change
    }

    /// Addresses as they are bound.
    struct Addresses {
        var clients: [String] = []
        var operators: [String] = []
    }

    let clients: PublicGateway
    let operators: OperatorGateway
    let condition: HostCondition
    private let admin: (gateway: Gateway, path: String)?
    private let inspector: (gateway: Gateway, address: String)?

    init(
        clients: PublicGateway, operators: OperatorGateway, condition: HostCondition,
        admin: (gateway: Gateway, path: String)?, inspector: (gateway: Gateway, address: String)?
    ) {
        (self.clients, self.operators, self.condition) = (clients, operators, condition)
        (self.admin, self.inspector) = (admin, inspector)
    }

    /// The path of the admin socket; nil if there is none.
    var adminPath: String? { admin?.path }

    /// The inspector's address with its token; nil if there is none.
    var inspectorAddress: String? { inspector?.address }

    var listening: Addresses { Addresses(clients: clients.listening, operators: operators.listening) }

    var secured: Set<String> { clients.secured.union(operators.secured) }

    var certificateFiles: Set<String> { clients.certificateFiles.union(operators.certificateFiles) }

    /// See ``Gateway/certificateEnds``.
    var certificateEnds: [String: Double] {
        clients.certificateEnds.merging(operators.certificateEnds) { min($0, $1) }
    }

    /// Does everything that can fail. The caller then commits the change.
    func prepare(for host: ScriptHost) throws(Diagnostic) -> Change {
        // An address may go from one to the other.
        let ofClients = try clients.addressesLeft(for: host)
        let ofOperators = try operators.addressesLeft(for: host)
        let forOperators = try operators.prepare(for: host, taking: ofClients)
        do throws(Diagnostic) {
            let forClients = try clients.prepare(for: host, taking: ofOperators)
            return Change(clients: forClients, operators: forOperators)
        } catch {
            operators.discard(forOperators)
            throw error
        }
    }

    /// Applies a change. Returns the new addresses.
    @discardableResult
    func commit(_ change: Change) -> Addresses {
        // Each update reads the certificates anew.
        condition.certificateFailure = nil
        return Addresses(
            clients: clients.commit(change.clients), operators: operators.commit(change.operators))
    }

    /// Undoes what a check did.
    func discard(_ change: Change) {
        clients.discard(change.clients)
        operators.discard(change.operators)
    }

    /// Reads certificates and keys again. Those that can't be used leave the ones before in use.
    func renewCertificates(of host: ScriptHost) throws(Diagnostic) {
        do throws(Diagnostic) {
            try clients.renewCertificates(of: host)
            try operators.renewCertificates(of: host)
            condition.certificateFailure = nil
        } catch {
            condition.certificateFailure = error
            throw error
        }
    }

    /// Lets the requests of clients end for so many seconds. Returns what did not end.
    func stopClients(drain seconds: Double) async -> GatewayCut {
        let cut = await clients.stop(drain: seconds)
        RunEnd.note(connections: 0)
        return cut
    }

    /// Stops the rest: operators may look while requests and jobs end.
    func stopOthers() async {
        await operators.stop()
        await admin?.gateway.stop(drain: 0)
        await inspector?.gateway.stop(drain: 0)
    }
}
