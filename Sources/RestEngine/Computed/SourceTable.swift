/// The resources of one service that computed resources were made of. Entries survive the eviction of a
/// resource, because a new one at the same URL replaces it as a source.
@EngineActor
final class SourceTable {
    private struct Entry {
        weak var record: SourceRecord?
    }

    private var entries: [ResourceKey: Entry] = [:]
    /// The number of entries at which those without users are removed.
    private var nextPruning = 64
    private unowned let core: ServiceCore

    nonisolated init(_ core: ServiceCore) { self.core = core }

    /// The record of a resource with a URL.
    func record(of source: Resource) -> SourceRecord {
        let key = source.key
        if let known = entries[key]?.record { return known }
        if entries.count >= nextPruning {
            entries = entries.filter { $0.value.record != nil }
            nextPruning = max(64, 2 * entries.count)
        }
        let record = SourceRecord(core, source)
        entries[key] = Entry(record: record)
        return record
    }

    func existingRecord(of source: Resource) -> SourceRecord? {
        entries.isEmpty ? nil : entries[source.key]?.record
    }

    /// Called when a resource has other data, or has recovered from an error.
    func changed(_ source: Resource) {
        existingRecord(of: source)?.changed()
    }
}

/// One source, kept by the computed resources that were made of it.
@EngineActor
final class SourceRecord {
    private struct Dependent {
        weak var state: ComputedState?
    }

    let key: ResourceKey
    private let additions: ResourceAdditions?
    private weak var core: ServiceCore?
    /// Increases with each change.
    private(set) var version = 0
    private var dependents: [ObjectIdentifier: Dependent] = [:]

    init(_ core: ServiceCore, _ source: Resource) {
        self.core = core
        key = source.key
        additions = source.additions
    }

    /// The existing resource; nil if it was dropped.
    var resource: Resource? { core?.table.existing(key) }

    /// The resource, which is made again if it was dropped.
    func renewedResource() -> Resource? {
        core?.neighbour(at: URLText(key.url), key.partition, adding: additions)
    }

    /// The headers of a client that observes a resource which is made of this one.
    func clientOfDependents(reaching core: ServiceCore, depth: Int) -> ClientHeaders? {
        guard depth < Self.mostDepth else { return nil }
        for dependent in dependents.values {
            if let client = dependent.state?.clientOfObservers(depth: depth + 1), client.reaches(core.name) {
                return client
            }
        }
        return nil
    }

    /// Computed resources of computed resources, of which nobody writes so many.
    private static let mostDepth = 8

    func add(_ state: ComputedState) { dependents[ObjectIdentifier(state)] = Dependent(state: state) }

    func remove(_ state: ComputedState) { dependents[ObjectIdentifier(state)] = nil }

    fileprivate func changed() {
        version += 1
        for (key, dependent) in dependents {
            if let state = dependent.state { state.sourceChanged() } else { dependents[key] = nil }
        }
    }
}
