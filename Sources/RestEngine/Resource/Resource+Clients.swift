/// The headers that a client of the gateway brings for the API, in requests of its own partition (rules 77).
/// They are kept in memory, as long as the client waits or observes.
package struct ClientHeaders: Sendable {
    package let partition: String
    package let headers: Headers
    /// Whether a service, by its name, may get them.
    package let reaches: @EngineActor @Sendable (String) -> Bool

    package init(
        partition: String, headers: Headers, reaches: @escaping @EngineActor @Sendable (String) -> Bool
    ) {
        (self.partition, self.headers, self.reaches) = (partition, headers, reaches)
    }

    package func moved(to partition: String) -> ClientHeaders {
        ClientHeaders(partition: partition, headers: headers, reaches: reaches)
    }
}

/// A client that observes a resource, such as one with a stream of events.
package final class ObservingClient: Sendable {
    package let headers: ClientHeaders

    package init(_ headers: ClientHeaders) { self.headers = headers }
}

/// The clients of one resource.
@EngineActor
final class ResourceClients {
    /// The latest last.
    private(set) var observing: [ObservingClient] = []
    /// A request of the resource was sent with the headers of a client. So none can be sent without.
    var isNeeded = false

    func add(_ client: ObservingClient) { observing.append(client) }

    func remove(_ client: ObservingClient) { observing.remove(identical: client) }
}

extension Resource {
    /// A client observes it from now on.
    package func add(_ client: ObservingClient) {
        let clients = clients ?? ResourceClients()
        self.clients = clients
        clients.add(client)
    }

    package func remove(_ client: ObservingClient) { clients?.remove(client) }

    /// The client whose headers go with a request that is made now: the one that is served, or else one that
    /// observes the resource.
    var clientForRequest: ClientHeaders? {
        guard let partition else { return nil }
        if let client = WorkScope.current.origin?.client, client.partition == partition,
            client.reaches(core.name)
        {
            return client
        }
        return clientInBackground()
    }

    /// The latest client that observes it, or that observes a resource which is computed from it.
    func clientInBackground(depth: Int = 0) -> ClientHeaders? {
        guard partition != nil else { return nil }
        if let client = clients?.observing.last { return client.headers }
        return core.sources.existingRecord(of: self)?.clientOfDependents(reaching: core, depth: depth)
    }

    /// False if its requests need the headers of a client, and none is there.
    var mayLoadInBackground: Bool { clients?.isNeeded != true || clientInBackground() != nil }

    /// Starts a request for all who observe the resource: the caller may run on behalf of a client that has
    /// gone.
    func startInBackground(_ plan: RequestPlan) -> Request {
        WorkScope.serving(clientInBackground().map { RequestOrigin(client: $0) }) { start(plan) }
    }

    func needsClient() {
        if let clients { return clients.isNeeded = true }
        let clients = ResourceClients()
        clients.isNeeded = true
        self.clients = clients
    }
}
