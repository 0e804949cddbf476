import RestEngine
import Synchronization

/// A client's wait for an answer, by which it can leave before that is there.
final class PendingRead: Sendable {
    @EngineActor private var leaving: (@EngineActor () -> Void)?
    private let counted = Atomic<Int>(GatewayMetrics.noLabels)

    init() {}

    /// The labels that it is counted with, since a resource was found for it; see ``GatewayMetrics``. The
    /// engine sets them. The client's loop reads them when it answers before the engine does.
    var labels: Int {
        get { counted.load(ordering: .relaxed) }
        set { counted.store(newValue, ordering: .relaxed) }
    }

    @EngineActor
    func onLeave(_ body: @escaping @EngineActor () -> Void) { leaving = body }

    /// Its client is gone.
    @EngineActor
    func leave() {
        leaving?()
        leaving = nil
    }

    /// The answer is there: it can't leave any more.
    @EngineActor
    func use() { leaving = nil }
}

/// How many clients wait for each load that the gateway began. When the last of them is gone, and nobody else
/// has asked for the load's outcome or observes its resource, the load is cancelled: an API needn't work for
/// nobody.
@EngineActor
final class LoadInterest {
    private struct Load {
        var clients: Int
        /// Of those who wait for its outcome, those that are the gateway's or were there before it.
        var known: Int
    }
    private var loads: [ObjectIdentifier: Load] = [:]

    nonisolated init() {}

    /// One more client waits for `request`.
    ///
    /// - Parameters:
    ///   - isNew: it was begun for this client.
    ///   - before: its interest before this client asked for it; nil for a new one.
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
        // A pending read lets go of it when it is used, at the request's end at the latest.
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
