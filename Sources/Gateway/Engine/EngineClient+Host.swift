import RestEngine

/// Answers of the routes under `/-/`, which report on the host itself.
extension EngineClient {
    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor
    func answer(
        _ route: HostRoute, query: String?, _ accessPolicy: AccessPolicy, withDetails: Bool,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) {
        do throws(Problem) {
            if route == .reload {
                _ = try RouteQuery(query, known: [])
                return try neededControl.reload { result in completion(Self.reply(result)) }
            }
            if route == .resources {
                let query = try RouteQuery(query, known: ["service", "limit", "offset"])
                return try resources(query, accessPolicy, completion)
            }
            if route == .explain {
                let query = try RouteQuery(query, known: ["service", "path", "method"])
                return try explain(query, accessPolicy) { result in completion(Self.reply(result)) }
            }
            if route == .wipe {
                return try wipe(
                    try RouteQuery(query, known: ["service", "pattern", "path", "partition"]), accessPolicy,
                    completion)
            }
            if try answerFromHistory(route, query, completion) { return }
            completion(try answer(route, query: query, accessPolicy, withDetails: withDetails))
        } catch { completion(error.reply) }
    }

    @EngineActor
    private func answer(
        _ route: HostRoute, query: String?, _ accessPolicy: AccessPolicy, withDetails: Bool
    ) throws(Problem) -> Reply {
        switch route {
        case .health: return health(accessPolicy, withDetails: withDetails)
        case .ready: return Self.readiness(directory.isReady ? .ready : .leaving)
        case .services: return serviceList(accessPolicy)
        case .metrics:
            _ = try RouteQuery(query, known: [])
            return metricsReply(accessPolicy)
        case .status: return Reply(200, json: try neededControl.status)
        case .invalidate: return try invalidate(try RouteQuery(query, known: ["service"]), accessPolicy)
        case .openapi:
            _ = try RouteQuery(query, known: [])
            return openAPI(accessPolicy)
        case .source: return try source(try RouteQuery(query, known: ["file", "line"]))
        case .page: return InspectorPage.page
        case .script: return InspectorPage.script
        case .style: return InspectorPage.style
        // These routes are answered later, in other functions.
        case .reload, .events, .resources, .explain, .wipe, .history, .clients, .exchanges:
            throw Problem(500, "internal", "the route \(route) is answered elsewhere")
        }
    }

    @EngineActor
    var neededControl: any HostControl {
        get throws(Problem) {
            guard let control else {
                throw Problem(501, "not_implemented", "the program behind this gateway can't do that")
            }
            return control
        }
    }

    private static func reply(_ result: Result<Tree, ControlProblem>) -> Reply {
        switch result {
        case .success(let tree): Reply(200, json: tree)
        case .failure(let problem): Problem(problem).reply
        }
    }

    // MARK: Health

    @EngineActor
    private func health(_ accessPolicy: AccessPolicy, withDetails: Bool) -> Reply {
        let health = directory.health
        guard withDetails else { return Self.reply(health: health.status, []) }
        var pairs: [(String, Tree)] = [("services", Tree(serviceNames(accessPolicy).map { Tree($0) }))]
        if let message = health.message { pairs.insert(("message", Tree(message)), at: 0) }
        return Self.reply(health: health.status, pairs)
    }

    private static func reply(health status: GatewayHealth.Status, _ pairs: [(String, Tree)]) -> Reply {
        Reply(200, json: Tree(pairs: [("status", Tree(status.rawValue))] + pairs))
    }

    private enum Readiness: String {
        case ready, busy, leaving
    }

    /// Answers whether the host is ready. After a failed reload it still is, because the old script goes on
    /// working.
    private static func readiness(_ state: Readiness) -> Reply {
        Reply(state == .ready ? 200 : 503, json: ["status": Tree(state.rawValue)])
    }

    /// The answer if the engine doesn't answer in time.
    static func busyReply(_ route: HostRoute) -> Reply {
        switch route {
        case .health:
            return reply(
                health: .degraded, [("message", "the engine is busy: it did not answer in time")])
        case .ready: return readiness(.busy)
        default:
            return Problem(
                503, "busy", "the engine is busy: it did not answer in time", [("Retry-After", "1")]
            ).reply
        }
    }

    @EngineActor
    private func serviceList(_ accessPolicy: AccessPolicy) -> Reply {
        Reply(200, json: ["services": Tree(serviceNames(accessPolicy).map { Tree($0) })])
    }

    // MARK: Services and resources

    /// The named service, if clients of this gateway may know it.
    @EngineActor
    private func service(_ name: String, _ accessPolicy: AccessPolicy) throws(Problem) -> Service {
        guard let service = shownService(named: name, accessPolicy) else {
            throw unknownService(name, accessPolicy)
        }
        return service
    }

    /// The named service, or all services.
    @EngineActor
    private func services(_ name: String?, _ accessPolicy: AccessPolicy) throws(Problem) -> [Service] {
        if let name { return [try service(name, accessPolicy)] }
        return serviceNames(accessPolicy).compactMap(directory.service(named:))
    }

    @EngineActor
    private func explain(
        _ query: RouteQuery, _ accessPolicy: AccessPolicy,
        _ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void
    ) throws(Problem) {
        let service = try service(try query.needed("service"), accessPolicy)
        let (path, method) = (query["path"] ?? "", query["method"] ?? "GET")
        guard let method = Method.normalized(method) else {
            throw Problem(400, "bad_parameter", "'\(method)' is no method")
        }
        let url = try exposedURL(
            of: ResourcePath(service: service.name, target: path), in: service, accessPolicy)
        try neededControl.explain(service, url: url, method: method, completion)
    }

    @EngineActor
    private func resources(
        _ query: RouteQuery, _ accessPolicy: AccessPolicy,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) throws(Problem) {
        let limit = try query.count("limit", default: 100, most: 10_000)
        let offset = try query.count("offset", default: 0, least: 0, most: 10_000_000)
        let services = try services(query["service"], accessPolicy)
        ResourceListing(services, accessPolicy, offset: offset, limit: limit, completion).look()
    }

    @EngineActor
    private func source(_ query: RouteQuery) throws(Problem) -> Reply {
        let file = try query.needed("file")
        let line = try query.count("line", default: 1, most: 10_000_000)
        let control = try neededControl
        do throws(ControlProblem) { return Reply(200, json: try control.source(file, line: line)) } catch {
            throw Problem(error)
        }
    }

    @EngineActor
    private func invalidate(_ query: RouteQuery, _ accessPolicy: AccessPolicy) throws(Problem) -> Reply {
        let services = try services(query["service"], accessPolicy)
        for service in services { service.invalidateConfiguration() }
        return Reply(200, json: ["services": Tree(services.map { Tree($0.name) })])
    }

    @EngineActor
    private func wipe(
        _ query: RouteQuery, _ accessPolicy: AccessPolicy,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) throws(Problem) {
        let service = try service(try query.needed("service"), accessPolicy)
        // One resource: patterns know no query, and their characters may be in its path.
        if let path = query["path"] {
            guard query["pattern"] == nil else {
                throw Problem(400, "bad_parameter", "give 'pattern' or 'path', not both")
            }
            let url = try exposedURL(
                of: ResourcePath(service: service.name, target: path), in: service, accessPolicy)
            service.resource(absoluteURL: url.string, partition: query["partition"]).wipe()
            return completion(Reply(200, json: ["service": Tree(service.name), "resources": 1]))
        }
        let glob: GlobPattern?
        do throws(PatternError) {
            glob = try query["pattern"].map { text throws(PatternError) in
                try GlobPattern(text, base: service.baseURL).forPaths()
            }
        } catch { throw Problem(400, "bad_parameter", "the pattern: \(error.description)") }
        ResourceWipe(service, partition: query["partition"], glob) { count in
            completion(Reply(200, json: ["service": Tree(service.name), "resources": Tree(count)]))
        }.wipe()
    }
}
