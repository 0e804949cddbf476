import RestEngine

extension EngineClient {
    /// All metrics of the host, as text. Services that the client can't reach are left out, and so are limits
    /// and origins, which services share.
    @EngineActor
    func metricsReply(_ accessPolicy: AccessPolicy) -> Reply {
        metrics.begin(directory.engine)
        var families = metrics.families + metrics.upstreamFamilies
        let services = directory.serviceNames.sorted().compactMap(directory.service(named:))
        families.append(
            MetricFamily(
                .resources,
                services.map {
                    .init([.init("service", $0.name)], .number(Double($0.liveResourceCount)))
                }))
        families.append(
            MetricFamily(
                .partitions,
                services.map { .init([.init("service", $0.name)], .number(Double($0.partitionCount))) }))
        families.append(
            MetricFamily(
                .evictedResources,
                services.flatMap { service in
                    service.evictions.map {
                        .init(
                            [.init("service", service.name), .init("reason", $0.reason)],
                            .number(Double($0.count)))
                    }
                }))
        families.append(
            MetricFamily(
                .gatewayFailures,
                metrics.failures.sorted { $0.key < $1.key }.map {
                    .init([.init("code", $0.key)], .number(Double($0.value)))
                }))
        families += control?.metrics ?? []
        if !accessPolicy.showsEverything { families = families.map { Self.shown($0, accessPolicy) } }
        return Reply(200, text: MetricText.write(families), type: MetricText.type)
    }

    @EngineActor
    private static func shown(_ family: MetricFamily, _ accessPolicy: AccessPolicy) -> MetricFamily {
        var shown = family
        shown.samples.removeAll { !isShown($0.labels, accessPolicy) }
        return shown
    }

    /// Whether a client may see a series with these labels.
    @EngineActor
    static func isShown(_ labels: [MetricFamily.Label], _ accessPolicy: AccessPolicy) -> Bool {
        if let service = labels.first(where: { $0.name == "service" })?.value {
            return service.isEmpty || service == LabeledMetrics.other || service == hostService
                || accessPolicy.isExposed(service: service)
        }
        return !labels.contains { ["limit", "origin", "certificate", "server"].contains($0.name) }
    }

    /// The label in place of a service for the host's own answers.
    static let hostService = "-"

    /// The host's own answers are counted by their paths.
    func labels(of route: HostRoute) -> Int {
        metrics.isCounting
            ? metrics.labels(Self.hostService, "/-/" + route.rawValue) : GatewayMetrics.noLabels
    }

    /// The metrics' labels of a request; `noLabels` until metrics are asked for.
    @EngineActor
    func labels(
        of path: ResourcePath, _ method: String, _ accessPolicy: AccessPolicy, _ pendingRead: PendingRead
    ) -> Int {
        // The resource may be forgotten before its request ends.
        if pendingRead.labels != GatewayMetrics.noLabels { return pendingRead.labels }
        guard metrics.isCounting, let service = shownService(named: path.service, accessPolicy) else {
            return GatewayMetrics.noLabels
        }
        guard let resource = accessPolicy.known.resource(at: path, of: service) else {
            return metrics.labels(service.name, "")
        }
        return labels(of: resource, service, method)
    }

    /// The pattern is that of the script's last block that applies.
    @EngineActor
    func labels(of resource: Resource, _ service: Service, _ method: String) -> Int {
        guard metrics.isCounting else { return GatewayMetrics.noLabels }
        let blocks = service.configurationEntries
        let applied = resource.resolvedConfiguration(for: method == "HEAD" ? "GET" : method).entries
        let last = applied.last { blocks.indices.contains($0) && blocks[$0].origin != nil }
        return metrics.labels(service.name, last.map { blocks[$0].pattern.description } ?? "")
    }
}
