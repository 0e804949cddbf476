import RestEngine

/// A page of `/-/resources`, sorted by service and URL. There may be very many resources, so it looks at them
/// in parts and lets other work run in between. It sorts no more than the page needs.
@EngineActor
final class ResourceListing {
    private static let part = 1000

    private let services: [Service]
    private let accessPolicy: AccessPolicy
    private let offset: Int
    /// The number of first resources that are needed.
    private let wanted: Int
    private let completion: @EngineActor (Reply) -> Void
    /// The remaining resources of the current service.
    private var left: ListedResources?
    private var nextService = 0
    private var next = 0
    /// The first resources found so far, sorted from time to time. `last` is known once there were more than
    /// wanted.
    private var first: [(service: Int, url: String, resource: Resource)] = []
    private var last: (service: Int, url: String)?
    private var total = 0

    init(
        _ services: [Service], _ accessPolicy: AccessPolicy, offset: Int, limit: Int,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) {
        self.services = services.sorted { $0.name < $1.name }
        self.accessPolicy = accessPolicy
        self.offset = offset
        wanted = offset + limit
        self.completion = completion
    }

    /// Looks at one part, and schedules the next.
    func look() {
        var count = Self.part
        while count > 0 {
            guard let resources = left else {
                guard nextService < services.count else { return finish() }
                left = services[nextService].liveResourcesUnordered
                (nextService, next) = (nextService + 1, 0)
                continue
            }
            guard next < resources.count else {
                left = nil
                continue
            }
            if let resource = resources[next] { note(resource, of: nextService - 1) }
            next += 1
            count -= 1
        }
        EngineLoop.shared.submit { self.look() }
    }

    private func note(_ resource: Resource, of service: Int) {
        guard accessPolicy.isShown(resource, of: services[service]) else { return }
        total += 1
        let url = resource.urlString
        if let last, last < (service, url) { return }
        first.append((service, url, resource))
        if first.count >= 2 * wanted + Self.part { keepWanted() }
    }

    private func keepWanted() {
        first.sort { ($0.service, $0.url) < ($1.service, $1.url) }
        guard first.count > wanted else { return }
        first.removeSubrange(wanted...)
        last = first.last.map { ($0.service, $0.url) }
    }

    private func finish() {
        keepWanted()
        let rows = first.dropFirst(offset).map { ResourceRow.tree($0.resource, of: services[$0.service]) }
        completion(Reply(200, json: ["total": Tree(total), "resources": Tree(rows)]))
    }
}

/// One resource in the list of `/-/resources`.
enum ResourceRow {
    @EngineActor
    static func tree(_ resource: Resource, of service: Service) -> Tree {
        let summary = resource.summary
        var pairs: [(String, Tree)] = [
            ("service", Tree(service.name)), ("url", Tree(visibleURL(of: resource, service))),
            ("data", Tree(summary.hasData)), ("loading", Tree(summary.isLoading)),
            ("requests", Tree(summary.openRequests)), ("observed", Tree(summary.isObserved)),
        ]
        if let partition = resource.partition { pairs.append(("partition", Tree(partition))) }
        if let age = summary.age {
            pairs.append(("age", Tree(Int(max(0, min(age, 1e15))))))
        }
        if let seconds = summary.freshSeconds {
            let rounded = (min(seconds, 1e12) * 1000).rounded() / 1000
            pairs.append(seconds < 0 ? ("stale", true) : ("fresh_for", Tree(rounded)))
        }
        if let code = summary.errorCode { pairs.append(("error", Tree(code))) }
        if let path = path(of: resource, service) { pairs.append(("path", Tree(path))) }
        let kept = (summary.isObserved ? ["observers"] : []) + (summary.openRequests > 0 ? ["requests"] : [])
        pairs.append(("kept", Tree(kept.map { Tree($0) })))
        return Tree(pairs: pairs)
    }

    /// The path below the service's base URL, as `/-/explain` takes it; nil for a resource elsewhere.
    @EngineActor
    private static func path(of resource: Resource, _ service: Service) -> String? {
        guard let url = resource.url, let base = service.baseURL?.url, url.origin == base.origin,
            url.path.hasPrefix(base.path)
        else { return nil }
        let own = Set(base.parameters.map(\.text))
        let parameters = url.parameters.map(\.text).filter { !own.contains($0) }
        let path = "/" + url.path.dropFirst(base.path.count)
        return SecretMask.standard.url(
            parameters.isEmpty ? path : path + "?" + parameters.joined(separator: "&"))
    }

    /// The URL without user info, and without the values of parameters that have a secret's name or belong to
    /// the base URL, because those may be API keys.
    @EngineActor
    private static func visibleURL(of resource: Resource, _ service: Service) -> String {
        let mask = SecretMask.standard
        guard let url = resource.url, let origin = url.origin else { return mask.line(resource.urlString) }
        let secret = Set((service.baseURL?.url.parameters ?? []).map(\.text))
        let parameters = url.parameters.map {
            secret.contains($0.text) ? $0.rawName + "=" + SecretMask.text : $0.text
        }
        return mask.url(
            origin + url.path + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")))
    }
}
