/// The live resources of a service, one for each URL (rules 2.1, 2.7, 23).
///
/// Entries are strong until a flush; a flush makes all weak and drops the dead ones, and looking one up makes it
/// strong again. A resource in use stays, so the limit is soft, and so does one that somebody observes.
@EngineActor
final class ResourceTable {
    private struct Entry {
        weak var resource: Resource?
        var held: Resource?
        /// In the order in which they were made.
        let number: Int
    }

    private var entriesMade = 0

    private var entries: [String: Entry] = [:]
    /// Observed resources that have no place in the table: invalid ones.
    private var unlisted: [Resource] = []

    /// Before a flush that the limit asks for: whoever keeps resources only until they are collected, collects.
    var onLimit: (@EngineActor () -> Void)?
    /// Entries at which the next flush is due. More than the limit when so many are in use that another flush at
    /// once would find nothing.
    private var threshold = Service.standardResourceCountLimit

    var limit = Service.standardResourceCountLimit {
        didSet {
            threshold = limit
            if entries.count >= limit { flushAtLimit() }
        }
    }

    nonisolated init() {}

    var count: Int { entries.count }

    /// The oldest first, so that what all of them are told comes in the same order each time.
    var live: [Resource] { entries.values.sorted { $0.number < $1.number }.compactMap(\.resource) }

    func resource(for key: String, make: () -> Resource) -> Resource {
        if let known = known(key) { return known }
        if entries.count >= threshold {
            flushAtLimit()
            // Observers that were told of their end may have asked for the same resource.
            if let known = known(key) { return known }
        }
        let resource = make()
        entriesMade += 1
        entries[key] = Entry(resource: resource, held: resource, number: entriesMade)
        return resource
    }

    private func known(_ key: String) -> Resource? {
        guard let entry = entries[key] else { return nil }
        if let held = entry.held { return held }
        if let resource = entry.resource { entries[key]?.held = resource }
        return entry.resource
    }

    /// Makes an entry strong, because somebody observes the resource (2.8).
    func keep(_ resource: Resource, for key: String) {
        if entries[key]?.resource === resource {
            entries[key]?.held = resource
        } else if !unlisted.contains(identical: resource) {
            unlisted.append(resource)
        }
    }

    private func flushAtLimit() {
        onLimit?()
        flush()
        let left = entries.count
        threshold = left < limit ? limit : left + max(1, left / 4)
    }

    func flush() {
        // First of all: it may call anybody.
        for resource in live + unlisted { resource.pruneObservers() }
        unlisted.removeAll { $0.observers == nil }
        for (key, entry) in entries where entry.held?.observers == nil { entries[key]?.held = nil }
        entries = entries.filter { $0.value.resource != nil }
    }
}
