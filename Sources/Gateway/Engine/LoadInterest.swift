import RestEngine
import Synchronization

/// A client's wait for an answer. The client can leave before the answer is there.
final class PendingRead: Sendable {
    @EngineActor private var leaving: (@EngineActor () -> Void)?
    private let counted = Atomic<Int>(GatewayMetrics.noLabels)

    init() {}

    /// The metrics' labels since a resource was found; see ``GatewayMetrics``. The engine sets them. The
    /// client's loop reads them if it answers before the engine does.
    var labels: Int {
        get { counted.load(ordering: .relaxed) }
        set { counted.store(newValue, ordering: .relaxed) }
    }

    @EngineActor
    func onLeave(_ body: @escaping @EngineActor () -> Void) { leaving = body }

    /// The client has gone.
    @EngineActor
    func leave() {
        leaving?()
        leaving = nil
    }

    /// The answer is there, so the client can't leave any more.
    @EngineActor
    func use() { leaving = nil }
}

/// Counts the clients that wait for each load that the gateway began. A load is cancelled when its last
/// client has gone, no other code waits for its outcome, and its resource has no observers. The API then
/// needs no more work.
@EngineActor
final class LoadInterest {
    private struct Load {
        var clients: Int
        /// The number of waiting parties that are the gateway's or were there before it.
        var known: Int
    }
    private var loads: [ObjectIdentifier: Load] = [:]

    nonisolated init() {}

    /// Counts one more client that waits for `request`.
    ///
    /// - Parameters:
    ///   - isNew: The request was begun for this client.
    ///   - before: The request's interest before this client; nil for a new one.
    func join(_ pendingRead: PendingRead, _ request: Request, of resource: Resource, isNew: Bool, before: Int)
    {
        let id = ObjectIdentifier(request)
        if isNew {
            request.onCompletion { [self] _ in loads[id] = nil }
            loads[id] = Load(clients: 1, known: request.interest)
        } else {
            guard var load = loads[id] else { return }
            load.clients += 1
            load.known += request.interest - before
            loads[id] = load
        }
        // The closure keeps the request alive until the pending read is used, at the latest at the request's
        // end.
        pendingRead.onLeave { [self] in leave(request, of: resource) }
    }

    private func leave(_ request: Request, of resource: Resource) {
        let id = ObjectIdentifier(request)
        guard var load = loads[id] else { return }
        load.clients -= 1
        loads[id] = load
        if load.clients == 0, request.interest == load.known, !resource.isObserved { request.cancel() }
    }
}
