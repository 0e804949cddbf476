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

// MARK: Partitions

extension Resource {
    /// This resource; in the function of a computed resource of a partition, the one of that partition at the
    /// same URL (77.6).
    var inScope: Resource {
        guard partition == nil, let url, let own = core.partitionInScope(nil) else { return self }
        return core.neighbour(at: url, own)
    }

    /// The cookies for its requests; nil if none are kept.
    var cookies: CookieJar? {
        guard let shared = core.cookies, let partition else { return core.cookies }
        return core.partitionCookies.jar(of: partition, beside: shared)
    }
}

/// The cookies of partitions, in memory only. The partitions whose cookies were not used for longest lose
/// them first.
@EngineActor
struct PartitionCookies {
    private static let mostJars = 10_000
    private var jars = RecencyList<String, CookieJar>()
    /// The jar of everybody that they belong to: a reload may bring another.
    private weak var shared: CookieJar?

    mutating func jar(of partition: String, beside shared: CookieJar) -> CookieJar {
        if self.shared !== shared {
            jars = RecencyList()
            self.shared = shared
        }
        if let known = jars.use(partition) { return known }
        if jars.count >= Self.mostJars, let oldest = jars.oldest { jars.remove(oldest) }
        let made = CookieJar()
        jars.insert(made, at: partition)
        return made
    }

    mutating func remove(_ partition: String?) {
        if let partition { jars.remove(partition) } else { jars = RecencyList() }
    }
}
