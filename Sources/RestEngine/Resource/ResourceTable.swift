/// The live resources of a service, one for each URL (rules 2.1, 2.7, 23).
///
/// Entries are strong until a flush; a flush makes all weak and drops the dead ones, and looking one up makes
/// it strong again. A resource in use stays, so the limit is soft, and so does one that somebody observes.
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

    /// Before a flush that the limit asks for: whoever keeps resources only until they are collected,
    /// collects.
    var onLimit: (@EngineActor () -> Void)?
    /// Entries at which the next flush is due. More than the limit when so many are in use that another flush
    /// at once would find nothing.
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

    /// Makes an entry weak, unless somebody observes the resource.
    func release(_ resource: Resource, for key: String) {
        guard resource.observers == nil else { return }
        if entries[key]?.resource === resource { entries[key]?.held = nil }
        unlisted.removeAll { $0 === resource }
    }

    /// A flush that looks for no observers that have gone; whether there are resources that stay for theirs.
    func releaseUnobserved() -> Bool {
        for (key, entry) in entries where entry.held?.observers == nil { entries[key]?.held = nil }
        entries = entries.filter { $0.value.resource != nil }
        return !unlisted.isEmpty || entries.contains { $0.value.held != nil }
    }

    private func flushAtLimit() {
        onLimit?()
        flushToLimit()
    }

    /// The same when others have collected already. False when there are no more entries than the limit says.
    func flushAboveLimit() -> Bool {
        guard entries.count > limit else { return false }
        flushToLimit()
        return true
    }

    private func flushToLimit() {
        flush()
        let left = entries.count
        threshold = left < limit ? limit : left + max(1, left / 4)
    }

    func flush() {
        // First of all: it may call anybody.
        for resource in live + unlisted { resource.pruneObservers() }
        unlisted.removeAll { $0.observers == nil }
        _ = releaseUnobserved()
    }
}

extension Resource {
    /// The resource one path segment, or more, below (rule 3.4). No block runs while navigating (3.13).
    /// Text that would lead out of this resource, such as `..`, gives an invalid one (D31).
    public func child(_ text: String) -> Resource {
        guard let url, url.child(text) == nil else { return core.neighbour(at: url?.child(text)) }
        return core.invalid(url.string + "/" + text)
    }

    /// The same for text that is escaped already: a `%2F` in it is a slash inside a segment (37.5). What no
    /// path holds gives an invalid resource.
    public func child(raw text: EscapedText) -> Resource {
        guard let url, let component = try? PathComponent.raw(text) else {
            return core.invalid(urlString + "/" + text.text)
        }
        return core.neighbour(at: url.appendingPath(escaped: [component.escaped]))
    }

    /// The resource that a link on this one would lead to (3.5).
    public func relative(_ href: String) -> Resource {
        core.neighbour(at: url?.relative(href))
    }

    /// Nil for nil, else as ``relative(_:)`` (3.6).
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// Replaces a parameter of the query; nil removes it (3.7–3.9).
    public func withParam(_ name: String, _ value: String?) -> Resource {
        withParam(name, value.map { [$0] } ?? [])
    }

    /// Replaces a parameter of the query; several values repeat it, none removes it (3.7–3.12, D19).
    public func withParam(_ name: String, _ values: [String]) -> Resource {
        core.neighbour(at: url?.withParam(name, values))
    }

    /// The same for several parameters in one step (3.10).
    public func withParams(_ params: [(name: String, values: [String]?)]) -> Resource {
        core.neighbour(at: url?.withParams(params.map { ($0.name, $0.values ?? []) }))
    }
}

/// What can be told of a resource without changing anything: no block runs, no cache is asked.
package struct ResourceSummary: Sendable, Equatable {
    /// Something was loaded, or set locally, and not wiped since.
    package var hasData: Bool
    /// Unix time of the later of data and error; 0 with neither (rule 4.5).
    package var timestamp: Double
    /// The code of the latest error (4.4).
    package var errorCode: String?
    /// A request is in flight whose outcome becomes the resource's state (4.6).
    package var isLoading: Bool
    /// Requests of any kind in flight (4.7).
    package var openRequests: Int
    /// Whether anybody observes it.
    package var isObserved: Bool
}

extension Resource {
    /// Its state as it is now.
    package var summary: ResourceSummary {
        ResourceSummary(
            hasData: state.data != nil, timestamp: state.timestamp, errorCode: state.error?.code,
            isLoading: isLoading, openRequests: allRequests.count, isObserved: observers != nil)
    }

    /// The URL, and a letter each for loading, data and error (rule 4.17). It begins no cache lookup.
    public var summaryText: String {
        let letters =
            (isLoading ? "L" : "") + (state.data == nil ? "" : "D") + (state.error == nil ? "" : "E")
        return letters.isEmpty ? urlString : "\(urlString) [\(letters)]"
    }
}
