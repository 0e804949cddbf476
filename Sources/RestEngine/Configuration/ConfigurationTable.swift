/// The configuration blocks of a service, compiled for look-up.
@EngineActor
package final class ConfigurationTable {
    /// The blocks, in the order in which they were added.
    package private(set) var entries: [ConfigurationEntry] = []
    private var index = PatternIndex()
    private var predicates: [@EngineActor (URLText) throws -> Bool] = []
    /// Results of uniform blocks, keyed by the blocks that made them: resources share results that are the
    /// same for all of them.
    private var shared = SharedConfigurations()
    private static let sharedLimit = 1024
    /// Results of the functions of definitions, by URL, method and functions.
    private var own: [OwnConfigurationKey: ResolvedConfiguration] = [:]
    /// The bytes of these results.
    private var ownBytes = 0
    private static let mostOwnBytes = 4 << 20
    private var resolving: [OwnConfigurationKey] = []

    /// Increases whenever a cached result may be out of date (rule 14.5).
    package var version: Int { currentVersion }
    /// Runs the functions that select and configure one URL, and edit or decorate one request, and limits
    /// their total time.
    package var limit: (@EngineActor (URLText, () throws -> Void) throws -> Void)?
    // Read several times by each request; see EngineLog.
    private var currentVersion = 1

    package nonisolated init() {}

    /// A new, empty table that replaces another: results of the other are out of date.
    init(after other: ConfigurationTable) { currentVersion = other.version + 1 }

    /// The same for a table that was in use before `other`.
    func skip(past other: ConfigurationTable) {
        currentVersion = max(version, other.version)
        invalidate()
    }

    /// Adds a block after all others (14.3).
    package func add(_ entry: ConfigurationEntry) {
        entries.append(entry)
        index.append(entry.pattern)
        invalidate()
    }

    /// A pattern that calls `matches`, for an entry of this table.
    package func predicatePattern(_ matches: @escaping @EngineActor (URLText) throws -> Bool) -> URLPattern {
        predicates.append(matches)
        return .predicate(predicates.count - 1)
    }

    /// Makes the functions of definitions run again when their result is next needed.
    func forgetOwn() { (own, ownBytes) = ([:], 0) }

    /// Makes the blocks run again when their result is next needed.
    package func invalidate() {
        currentVersion += 1
        shared = SharedConfigurations()
        forgetOwn()
    }

    func tryEntry(_ number: Int, url: URLText, method: String, now: Double) -> RequestError? {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        do { try entries[number].apply(draft) } catch {
            // The block may depend on earlier ones, for example on the order of stages.
            let steps = trace(url: url, method: method, now: now).steps
            if let step = steps.first(where: { $0.entry == number }) { return step.failure }
            return RequestError(thrown: error, timestamp: now, url: url.string, method: method)
        }
        return nil
    }

    /// Runs the blocks that match, in the order in which they were added (14.3).
    func resolve(url: URLText, method: String, now: Double) -> ResolvedConfiguration {
        var applied: [Int] = []
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        do {
            var all: ResolvedConfiguration?
            try limited(url) {
                let matching = try index.matches(url, predicate: { try predicates[$0](url) })
                    .filter { entries[$0].isFor(method) }
                let base = try shared(by: Array(matching.prefix { entries[$0].isUniform }), draft)
                if base.entries.count == matching.count {
                    try base.configuration.requireCheckOfSchema()
                    return all = base
                }
                draft.configuration = base.configuration
                applied = base.entries
                for position in matching[base.entries.count...] {
                    applied.append(position)
                    try entries[position].apply(draft)
                }
                try draft.configuration.requireCheckOfSchema()
            }
            if let all { return all }
        } catch {
            let failure = RequestError(
                thrown: error, timestamp: now, url: url.string, method: method)
            return ResolvedConfiguration(draft.configuration, entries: applied, failure: failure)
        }
        return ResolvedConfiguration(draft.configuration, entries: applied)
    }

    /// Runs the functions of scripts for one request under one common time limit.
    func limited(_ url: URLText, _ work: () throws -> Void) throws {
        if let limit { try limit(url, work) } else { try work() }
    }

    /// Runs the functions of a definition after the blocks, once for each URL and method (rules 39.1, 39.2).
    ///
    /// - Parameter base: The result of the blocks.
    func resolve(
        _ functions: [ConfigurationFunction], after base: ResolvedConfiguration, url: URLText, method: String,
        now: Double
    ) -> ResolvedConfiguration {
        if base.failure != nil { return base }
        let key = OwnConfigurationKey(url: url, method: method, functions: functions.map(\.identity))
        if let known = own[key] { return known }
        guard !resolving.contains(key) else { return .unfinished(url, method, now: now) }
        resolving.append(key)
        defer { resolving.removeLast() }
        let draft = ConfigurationDraft(method: method, url: url)
        draft.configuration = base.configuration
        defer { draft.isFrozen = true }
        var failure: RequestError?
        do {
            try limited(url) {
                for function in functions { try function.apply(draft) }
                try draft.configuration.requireCheckOfSchema()
            }
        } catch {
            failure = RequestError(thrown: error, timestamp: now, url: url.string, method: method)
        }
        let made = ResolvedConfiguration(draft.configuration, entries: base.entries, failure: failure)
        let bytes = made.configuration.heldBytes + 2 * url.string.utf8.count
        if own.count >= Self.sharedLimit || ownBytes + bytes > Self.mostOwnBytes { forgetOwn() }
        own[key] = made
        ownBytes += bytes
        return made
    }

    /// Records the effect of each block on one URL and method, run on its own and in order, up to the first
    /// that fails. The result is not kept.
    ///
    /// - Parameter skipped: A block to leave out.
    func trace(url: URLText, method: String, now: Double, without skipped: Int? = nil) -> ConfigurationTrace {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        var trace = ConfigurationTrace()
        var asked = 0
        func failed(_ error: any Error) -> RequestError {
            RequestError(thrown: error, timestamp: now, url: url.string, method: method)
        }
        do {
            try limited(url) {
                let matching = try index.matches(url) { number in
                    asked = number
                    return try predicates[number](url)
                }
                for number in matching where number != skipped {
                    guard entries[number].isFor(method) else {
                        trace.otherMethods.append(number)
                        continue
                    }
                    let before = draft.configuration
                    var failure: RequestError?
                    do { try entries[number].apply(draft) } catch { failure = failed(error) }
                    trace.steps.append(
                        ConfigurationTrace.Step(
                            entry: number, before: before, after: draft.configuration, failure: failure))
                    if failure != nil { break }
                }
            }
        } catch {
            trace.patternFailure = failed(error)
            trace.failedPattern = entries.firstIndex {
                if case .predicate(asked) = $0.pattern { true } else { false }
            }
        }
        return trace
    }

    /// The result of uniform blocks. They run on `draft`, and only if the result is not known yet.
    private func shared(by uniform: [Int], _ draft: ConfigurationDraft) throws -> ResolvedConfiguration {
        if let known = shared.value(of: uniform) { return known }
        for position in uniform { try entries[position].apply(draft) }
        let made = ResolvedConfiguration(draft.configuration, entries: uniform)
        if shared.count >= Self.sharedLimit { shared = SharedConfigurations() }
        shared.add(made)
        return made
    }
}

/// The results of uniform blocks, found by the numbers of the blocks. There are few: a dictionary would be
/// slower, above all at its first use, when the runtime looks up how arrays are hashed.
@EngineActor
private struct SharedConfigurations {
    private var hashes: [Int] = []
    private var values: [ResolvedConfiguration] = []

    nonisolated init() {}

    var count: Int { values.count }

    func value(of entries: [Int]) -> ResolvedConfiguration? {
        let hash = Self.hash(entries)
        for index in hashes.indices where hashes[index] == hash && values[index].entries == entries {
            return values[index]
        }
        return nil
    }

    mutating func add(_ value: ResolvedConfiguration) {
        hashes.append(Self.hash(value.entries))
        values.append(value)
    }

    private static func hash(_ entries: [Int]) -> Int {
        entries.reduce(entries.count) { ($0 &* 0x100_0000_01B3) ^ $1 }
    }
}

/// The parts that a definition's configuration depends on, besides the blocks.
private struct OwnConfigurationKey: Hashable {
    let url: URLText
    let method: String
    let functions: [ConfigurationFunction.Identity]
}

/// The steps in which blocks made a configuration.
struct ConfigurationTrace {
    struct Step {
        let entry: Int
        let before: Configuration
        let after: Configuration
        let failure: RequestError?
    }

    var steps: [Step] = []
    /// Blocks that match the URL, but are for other methods.
    var otherMethods: [Int] = []
    /// The error of a function that selects URLs, and the block that it belongs to.
    var patternFailure: RequestError?
    var failedPattern: Int?

    var result: Configuration { steps.last?.after ?? Configuration() }

    var failure: RequestError? { patternFailure ?? steps.last?.failure }

    /// Nil for a block that does not apply.
    func step(of entry: Int) -> Step? {
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].entry < entry { low = middle + 1 } else { high = middle }
        }
        return low < steps.count && steps[low].entry == entry ? steps[low] : nil
    }
}
