import RestEngine

/// Resources by the path of the client's request, so that a path is parsed, checked and joined only once.
/// Entries are weak: the service decides how long a resource lives.
@EngineActor
final class KnownResources {
    private struct Entry {
        weak var resource: Resource?
    }

    /// At this number all entries are dropped. They are found again when clients ask.
    private static let limit = 4096
    /// Longer paths are looked up each time.
    private static let mostBytes = 1 << 10
    private var entries: [ResourcePath: Entry] = [:]

    nonisolated init() {}

    /// Nil if the path isn't known, or if its service has been replaced.
    func resource(at path: ResourcePath, of service: Service) -> Resource? {
        guard let resource = entries[path]?.resource, resource.service === service else { return nil }
        return resource
    }

    func remember(_ resource: Resource, at path: ResourcePath) {
        guard path.path.utf8.count + (path.query?.utf8.count ?? 0) <= Self.mostBytes else { return }
        if entries.count >= Self.limit { entries = [:] }
        entries[path] = Entry(resource: resource)
    }
}
