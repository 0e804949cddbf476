/// A service's configuration blocks, compiled for look-up.
@EngineActor
public final class ConfigurationTable {
    public private(set) var entries: [ConfigurationEntry] = []
    private var index = PatternIndex()
    private var predicates: [@EngineActor (URLText) throws -> Bool] = []
    /// Moves on whenever a cached result may be out of date (siesta-semantics 14.5).
    public private(set) var version = 1

    public nonisolated init() {}

    public func add(_ entry: ConfigurationEntry) {
        entries.append(entry)
        index.append(entry.pattern)
        version += 1
    }

    /// A pattern that asks `matches`, for an entry of this table.
    public func predicatePattern(_ matches: @escaping @EngineActor (URLText) throws -> Bool) -> URLPattern {
        predicates.append(matches)
        return .predicate(predicates.count - 1)
    }

    public func invalidate() { version += 1 }

    func tryEntry(_ number: Int, url: URLText, method: String, now: Double) -> RequestError? {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        do { try entries[number].apply(draft) } catch {
            return RequestError(thrown: error, timestamp: now, url: url.string, method: method)
        }
        return nil
    }

    /// Runs the blocks that match, in the order in which they were added (14.3).
    func resolve(url: URLText, method: String, now: Double) -> ResolvedConfiguration {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        var applied: [Int] = []
        do {
            for position in try index.matches(url, predicate: { try predicates[$0](url) }) {
                let entry = entries[position]
                if let methods = entry.methods, !methods.contains(method) { continue }
                applied.append(position)
                try entry.apply(draft)
            }
        } catch {
            let failure = RequestError(
                thrown: error, timestamp: now, url: url.string, method: method)
            return ResolvedConfiguration(draft.configuration, entries: applied, failure: failure)
        }
        return ResolvedConfiguration(draft.configuration, entries: applied)
    }
}
