import RestEngine

/// Resources by the path that clients ask for, so that a path is parsed, checked and joined once. Entries are weak:
/// the service decides how long a resource lives.
@EngineActor
final class KnownResources {
    private struct Entry {
        weak var resource: Resource?
    }

    /// Beyond it all are forgotten; a path that is asked for again is found again.
    private static let limit = 4096
    private var entries: [ResourcePath: Entry] = [:]

    nonisolated init() {}

    /// Nil when it isn't known, or belongs to a service that another has taken the place of.
    func resource(at path: ResourcePath, of service: Service) -> Resource? {
        guard let resource = entries[path]?.resource, resource.service === service else { return nil }
        return resource
    }

    /// They were found under rules that hold no more.
    func forgetAll() { entries = [:] }

    func remember(_ resource: Resource, at path: ResourcePath) {
        if entries.count >= Self.limit { entries = [:] }
        entries[path] = Entry(resource: resource)
    }
}
