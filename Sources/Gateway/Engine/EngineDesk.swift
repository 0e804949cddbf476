import RestEngine

/// The gateway's questions to the engine. Everything here runs on the engine loop.
struct EngineDesk: Sendable {
    let directory: any GatewayDirectory
    let exposure: Exposure
    private let known = KnownResources()

    init(directory: any GatewayDirectory, exposure: Exposure) {
        self.directory = directory
        self.exposure = exposure
    }

    enum Outcome: Sendable {
        case answer(PublishedAnswer, CacheStatus, Publication, methods: [String])
        case problem(Problem)
    }

    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor
    func read(
        _ path: ResourcePath, method: String, _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        let found: (Resource, [String])
        do { found = try resource(at: path, method: method) } catch { return completion(.problem(error)) }
        let (resource, methods) = found
        let publication = resource.publicationForReaders()
        if let answer = publication.answer(at: resource.engine.scheduler.now) {
            return completion(.answer(answer, .hit, publication, methods: methods))
        }
        let status = CacheStatus.forwarded(
            isStale: resource.latestData != nil,
            isCollapsed: resource.isLoading && resource.configuration(for: "GET").isCollapsing)
        resource.readAnswer { result in
            switch result {
            case .success(let answer): completion(.answer(answer, status, publication, methods: methods))
            case .failure(let error): completion(.problem(Problem(error, reading: path)))
            }
        }
    }

    @EngineActor
    private func resource(
        at path: ResourcePath, method: String
    ) throws(Problem) -> (resource: Resource, methods: [String]) {
        guard exposure.isExposed(service: path.service), let service = directory.service(named: path.service)
        else {
            var problem = Problem(404, "unknown_service", "there is no service '\(path.service)'")
            problem.services = serviceNames
            throw problem
        }
        let methods = exposure.methods(of: path.service)
        guard methods.contains(method) else {
            var problem = Problem(
                405, "method_not_allowed", "\(method) is not exposed for the service '\(path.service)'")
            problem.allow = methods
            throw problem
        }
        guard method == "GET" || method == "HEAD" else {
            throw Problem(501, "not_implemented", "this gateway reads resources; it can't pass \(method) on")
        }
        if let resource = known.resource(at: path, of: service) { return (resource, methods) }
        guard let base = service.baseURL else {
            throw Problem(404, "no_base_url", "the service '\(path.service)' has no base_url")
        }
        guard let url = path.upstreamURL(below: base) else {
            throw Problem(400, "bad_path", "the path leaves the base URL of the service")
        }
        guard exposure.isExposed(url, service: path.service, base: base) else {
            throw Problem(404, "not_exposed", "this path of the service '\(path.service)' is not exposed")
        }
        let resource = service.resource(absoluteURL: url.string)
        known.remember(resource, at: path)
        return (resource, methods)
    }

    /// Those that clients may reach.
    @EngineActor
    var serviceNames: [String] { directory.serviceNames.filter(exposure.isExposed(service:)).sorted() }

    @EngineActor
    func health(withDetails: Bool) -> Reply {
        let health = directory.health
        guard withDetails else { return Self.reply(health: health.status, []) }
        var pairs: [(String, Tree)] = [("services", Tree(serviceNames.map { Tree($0) }))]
        if let message = health.message { pairs.insert(("message", Tree(message)), at: 0) }
        return Self.reply(health: health.status, pairs)
    }

    /// What is said when the engine doesn't answer in time.
    static let busyHealth = reply(
        health: .degraded, [("message", "the engine is busy: it did not answer in time")])

    private static func reply(health status: GatewayHealth.Status, _ pairs: [(String, Tree)]) -> Reply {
        Reply(200, json: Tree(pairs: [("status", Tree(status.rawValue))] + pairs))
    }

    @EngineActor
    func serviceList() -> Reply {
        Reply(200, json: ["services": Tree(serviceNames.map { Tree($0) })])
    }
}
