/// The live resources of a service, one for each URL (siesta-semantics 2.1, 2.7, 23).
///
/// Entries are strong until a flush; a flush makes all weak and drops the dead ones, and looking one up makes it
/// strong again. A resource in use stays, so the limit is soft.
@EngineActor
final class ResourceTable {
    private struct Entry {
        weak var resource: Resource?
        var held: Resource?
    }

    private var entries: [String: Entry] = [:]

    var limit = 2048 {
        didSet { if entries.count >= limit { flush() } }
    }

    nonisolated init() {}

    var count: Int { entries.count }

    var live: [Resource] { entries.values.compactMap(\.resource) }

    func resource(for key: String, make: () -> Resource) -> Resource {
        if let entry = entries[key] {
            if let held = entry.held { return held }
            if let resource = entry.resource {
                entries[key]?.held = resource
                return resource
            }
        }
        if entries.count >= limit { flush() }
        let resource = make()
        entries[key] = Entry(resource: resource, held: resource)
        return resource
    }

    func flush() {
        for key in entries.keys { entries[key]?.held = nil }
        entries = entries.filter { $0.value.resource != nil }
    }
}
