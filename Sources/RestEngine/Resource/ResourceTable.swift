import Synchronization

/// The live resources of a service, one for each URL and partition (rules 2.1, 2.7, 23, 77).
///
/// Entries are strong until a flush. A flush makes all entries weak and removes the dead ones; looking up an
/// entry makes it strong again. The table also keeps the order of use, by which ``ServiceCore`` and
/// ``ContentBudget`` make room.
@EngineActor
final class ResourceTable {
    private var entries: [ResourceKey: ResourcePlace] = [:]
    private var placesMade = 0
    /// The number of entries of each partition.
    private var partitions: [String: Int] = [:]
    /// Observed resources that are not in the table: invalid ones.
    private var unlisted: [Resource] = []
    /// Resources that were never loaded, or whose loads failed; and resources with data.
    private(set) var withoutData = UseQueue()
    private(set) var withData = UseQueue()
    /// The number of listed resources that are alive. They may be released on any thread.
    private nonisolated let liveCount = Atomic(0)
    private nonisolated let scheduler: Scheduler
    private(set) var evictions = Evictions()

    nonisolated init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    nonisolated var count: Int { liveCount.load(ordering: .relaxed) }

    /// Adjusts the count when a resource is listed, or a listed one is released.
    nonisolated func count(_ difference: Int) { liveCount.wrappingAdd(difference, ordering: .relaxed) }

    /// The number of partitions that have resources here.
    var partitionCount: Int { partitions.count }

    private func count(_ partition: String?, _ difference: Int) {
        guard let partition else { return }
        let count = (partitions[partition] ?? 0) + difference
        partitions[partition] = count > 0 ? count : nil
    }

    /// The live resources, oldest first, so that operations on all of them have a fixed order.
    var live: [Resource] {
        // Sorting by number takes a tenth of the time of sorting the entries.
        let places = Array(entries.values)
        let order = places.indices.map { (number: places[$0].number, index: $0) }
        return order.sorted { $0.number < $1.number }.compactMap { places[$0.index].resource }
    }

    /// In any order, without reading the resources.
    var snapshot: ListedResources { ListedResources(Array(entries.values)) }

    /// In any order.
    func forEach(_ body: (Resource) -> Void) {
        for place in entries.values { place.resource.map(body) }
    }

    func known(_ key: ResourceKey) -> Resource? {
        guard let place = entries[key] else { return nil }
        if let held = place.held { return held }
        let resource = place.resource
        place.held = resource
        return resource
    }

    /// The same without making its entry strong.
    func existing(_ key: ResourceKey) -> Resource? { entries[key]?.resource }

    /// Lists a resource that is not in the table.
    func add(_ resource: Resource, for key: ResourceKey) {
        // Entries of resources that were released elsewhere are removed here, because their release is not
        // reported.
        if entries.count > 2 * count + 64 { forgetDead() }
        let place = addPlace(for: resource)
        place.held = resource
        if entries.updateValue(place, forKey: key) == nil { count(key.partition, 1) }
    }

    private func addPlace(for resource: Resource) -> ResourcePlace {
        placesMade += 1
        let place = ResourcePlace(resource, number: placesMade)
        resource.place = place
        withoutData.append(place, at: scheduler.uptime)
        return place
    }

    /// Makes an entry strong, because the resource has observers (2.8).
    func keep(_ resource: Resource, for key: ResourceKey) {
        if let place = entries[key], place.resource === resource {
            place.held = resource
        } else if !unlisted.contains(identical: resource) {
            unlisted.append(resource)
        }
    }

    /// Makes an entry weak, unless the resource has observers.
    func release(_ resource: Resource, for key: ResourceKey) {
        guard resource.observers == nil else { return }
        if let place = entries[key], place.resource === resource { place.held = nil }
        unlisted.removeAll { $0 === resource }
    }

    /// A flush without a check for observers whose owners are gone. Returns whether some resources stay
    /// because of their observers.
    func releaseUnobserved() -> Bool {
        for place in entries.values where place.held?.observers == nil { place.held = nil }
        forgetDead()
        return !unlisted.isEmpty || entries.values.contains { $0.held != nil }
    }

    private func forgetDead() {
        entries = entries.filter { key, place in
            if place.resource != nil { return true }
            count(key.partition, -1)
            return false
        }
        withoutData.forgetDead()
        withData.forgetDead()
    }

    func flush() {
        // Done first, because it may call foreign code.
        for resource in live + unlisted { resource.pruneObservers() }
        unlisted.removeAll { $0.observers == nil }
        _ = releaseUnobserved()
    }

    /// The evictions since the last report, for the log.
    func takeReport() -> Evictions.Report? { evictions.report(at: scheduler.uptime) }

    // MARK: The order of use

    /// Moves a resource to the other queue when it has got or lost its data.
    func sort(_ resource: Resource) {
        let place = resource.place ?? addPlace(for: resource)
        guard place.hasData != (resource.state.data != nil) else { return }
        if place.hasData { withData.remove(place) } else { withoutData.remove(place) }
        place.hasData.toggle()
        append(place, at: max(resource.lastUse, scheduler.uptime))
    }

    private func append(_ place: ResourcePlace, at time: Double) {
        if place.hasData { withData.append(place, at: time) } else { withoutData.append(place, at: time) }
    }

    /// When the least recently used data was last used, as far as is known.
    var firstUse: Double? { withData.firstTime }

    /// The fate of the first resource of a queue.
    enum Fate {
        case gone
        /// It will come up again later: it was used meanwhile, or is in use.
        case used, inUse
    }

    /// Drops the first resource of a queue, unless it is in use.
    ///
    /// - Parameters:
    ///   - emptying: Whether a resource in use drops dispensable content.
    ///   - pruning: Whether to remove observers whose owners are gone and notify them, which may call foreign
    ///     code.
    func evictFirst(
        withData: Bool, _ reason: Evictions.Reason, emptying: Bool = false, pruning: Bool = false,
        sparing spared: Resource? = nil
    ) -> Fate {
        let first = withData ? self.withData.popFirst() : withoutData.popFirst()
        guard let (place, time) = first else { return .gone }
        if let fate = fate(of: place, since: time, pruning: pruning, sparing: spared) { return fate }
        guard place.isHeldHereAlone else {
            append(place, at: scheduler.uptime)
            // Done last, because a resource without data moves to the other queue.
            if emptying, place.resource !== spared { place.resource?.giveUpContent() }
            return .inUse
        }
        let isFresh = withData && place.held?.isKnownFresh ?? false
        if let key = place.held?.key, entries[key] === place {
            entries[key] = nil
            count(key.partition, -1)
        }
        place.held = nil
        evictions.note(reason, isFresh: isFresh)
        return .gone
    }

    /// Nil if it depends on the owners of the resource; this function then holds no reference itself.
    private func fate(
        of place: ResourcePlace, since time: Double, pruning: Bool, sparing spared: Resource?
    ) -> Fate? {
        guard let resource = place.resource else { return .gone }
        let lastUse = resource.lastUse
        if lastUse > time {
            append(place, at: lastUse)
            return .used
        }
        if pruning, resource.observers != nil {
            append(place, at: scheduler.uptime)
            resource.pruneObservers()
            return resource.observers == nil ? .used : .inUse
        }
        return nil
    }
}

extension Resource {
    /// The resource one or more path segments below (rule 3.4). No block runs while navigating (3.13). Text
    /// that would leave this resource, such as `..`, gives an invalid one (D31).
    public func child(_ text: String) -> Resource {
        core.neighbour(at: url?.appendingPath(text), of: self)
    }

    /// The same for text that is already escaped: a `%2F` in it is a slash inside a segment (37.5). Text that
    /// a path can't contain gives an invalid resource.
    package func child(raw text: EscapedText) -> Resource {
        guard let url, let component = try? PathComponent.raw(text) else {
            return core.invalid(urlString + "/" + text.text)
        }
        return core.neighbour(at: url.appendingPath(escaped: [component.escaped]), of: self)
    }

    /// The resource at the target of a link on this one (3.5). Dot segments that leave the base of the
    /// service give an invalid one (D31).
    public func relative(_ href: String) -> Resource {
        let target = url?.relative(href)
        if let url, let target, let base = core.baseURL, base.isLeft(by: href, from: url, to: target) {
            return core.invalid(target.string)
        }
        return core.neighbour(at: target, of: self)
    }

    /// Nil for nil, otherwise as ``relative(_:)`` (3.6).
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// Replaces a parameter of the query; nil removes it (3.7–3.9).
    public func withParam(_ name: String, _ value: String?) -> Resource {
        withParam(name, value.map { [$0] } ?? [])
    }

    /// Replaces a parameter of the query; several values repeat it, an empty list removes it (3.7–3.12, D19).
    public func withParam(_ name: String, _ values: [String]) -> Resource {
        core.neighbour(at: url?.withParam(name, values), of: self)
    }

    /// The same for several parameters in one step (3.10).
    public func withParams(_ params: [(name: String, values: [String]?)]) -> Resource {
        core.neighbour(at: url?.withParams(params.map { ($0.name, $0.values ?? []) }), of: self)
    }
}

/// Facts about a resource that can be read without effects: no block runs, and no cache is searched.
package struct ResourceSummary: Sendable, Equatable {
    /// Whether it has data, loaded or set locally, that was not wiped since.
    package var hasData: Bool
    /// Seconds since the later of data and error; nil with neither.
    package var age: Double?
    /// The code of the latest error (4.4).
    package var errorCode: String?
    /// Whether a request is in flight whose outcome becomes the resource's state (4.6).
    package var isLoading: Bool
    /// The number of requests of any kind in flight (4.7).
    package var openRequests: Int
    /// Whether it has observers.
    package var isObserved: Bool
    /// Seconds for which its data stays fresh, less than 0 for stale data; nil if it has none, or if no block
    /// has run that says so.
    package var freshSeconds: Double?
}

extension Resource {
    /// Its current state.
    package var summary: ResourceSummary {
        ResourceSummary(
            hasData: state.data != nil, age: state.changeTime.map { engine.scheduler.uptime - $0 },
            errorCode: state.error?.code, isLoading: isLoading, openRequests: allRequests.count,
            isObserved: observers != nil, freshSeconds: knownFreshSeconds)
    }

    /// The URL, and a letter each for loading, data and error (rule 4.17). Does not start a cache look-up.
    package var summaryText: String {
        let letters =
            (isLoading ? "L" : "") + (state.data == nil ? "" : "D") + (state.error == nil ? "" : "E")
        return letters.isEmpty ? urlString : "\(urlString) [\(letters)]"
    }
}
