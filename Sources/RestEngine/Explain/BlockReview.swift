/// A probable mistake in a configuration block.
package struct BlockFinding: Sendable, Equatable {
    /// The kind of mistake; the names are stable.
    package enum Code: String, Sendable, CaseIterable {
        /// No URL below the base URL matches its pattern.
        case neverMatches = "never_matches"
        /// Its pattern is written in the syntax of another program.
        case foreignPattern = "foreign_pattern"
        /// Later blocks undo all its settings.
        case shadowed = "shadowed_block"
        /// It sends credentials to every host.
        case openCredentials = "open_credentials"
        /// It names a stage that never gets a transformer or a cache.
        case unusedStage = "unused_stage"
        /// It fills a stage that is not in the order.
        case unlistedStage = "unlisted_stage"
    }

    /// Stable, for programs.
    package let code: Code
    /// The index of the block in ``Service/configurationEntries``.
    package let block: Int
    /// The mistake, in one sentence.
    package let message: String
    /// The way to fix it.
    package let hint: String
}

extension Service {
    /// Checks all blocks that have an origin, by running them for URLs made from their patterns. They run as
    /// they do for requests; no request is sent.
    ///
    /// - Parameter time: When it is used up, the remaining checks are skipped.
    package func reviewBlocks(within time: TrialTime = TrialTime()) -> [BlockFinding] {
        let review = BlockReview(self, within: time)
        return (review.patterns() + review.shadows() + review.credentials() + review.stages())
            .sorted { $0.block < $1.block }
    }
}

/// Runs the blocks of a service to find probable mistakes.
@EngineActor
final class BlockReview {
    /// The limit of block runs for ``shadows()``, which runs all blocks once for each block. A script with
    /// more blocks is checked in part.
    private static let timeout = 20_000

    let service: Service
    let entries: [ConfigurationEntry]
    /// By method and URL, because blocks with the same pattern are tried on the same URLs.
    private var traces: [String: ConfigurationTrace] = [:]
    private var runs = 0
    private let time: TrialTime
    private lazy var index: CoverIndex = {
        var index = CoverIndex()
        for number in reviewed { index.add(entries[number].pattern, number) }
        return index
    }()

    init(_ service: Service, within time: TrialTime) {
        self.service = service
        self.time = time
        entries = service.configurationEntries
    }

    /// The blocks of a script or program; those of the engine are not checked.
    var reviewed: [Int] { entries.indices.filter { entries[$0].origin != nil } }

    func methods(of entry: ConfigurationEntry) -> [String] {
        entry.methods?.map(\.rawValue).sorted() ?? ["GET", "POST"]
    }

    /// A host that can't exist (RFC 6761 6.4), for blocks that apply to all hosts.
    static let elsewhere = URLText("https://elsewhere.invalid/")

    /// Runs all blocks for each sample URL and method of a block.
    func trials(of number: Int) -> [(url: URLText, method: String, trace: ConfigurationTrace)] {
        let entry = entries[number]
        var urls = entry.pattern.samples(of: service)
        if case .all = entry.pattern, let elsewhere = Self.elsewhere { urls.append(elsewhere) }
        return urls.flatMap { url in
            methods(of: entry).compactMap { method in trace(url, method).map { (url, method, $0) } }
        }
    }

    /// Nil when the time is used up.
    func trace(_ url: URLText, _ method: String) -> ConfigurationTrace? {
        let key = "\(method) \(url.string)"
        if let known = traces[key] { return known }
        guard time.isLeft else { return nil }
        let made = service.traceConfiguration(url: url, method: method)
        traces[key] = made
        return made
    }

    // MARK: Patterns

    func patterns() -> [BlockFinding] {
        let base = service.baseURL
        return reviewed.compactMap { number in
            func finding(_ message: String, _ hint: String) -> BlockFinding {
                BlockFinding(code: .neverMatches, block: number, message: message, hint: hint)
            }
            if entries[number].methods?.isEmpty == true {
                return finding(
                    "this block's 'methods' is empty, so it applies to no request",
                    "name some, such as { \"GET\" }, or leave 'methods' out: then it applies to all")
            }
            if let foreign = foreign(entries[number].pattern) {
                return BlockFinding(
                    code: .foreignPattern, block: number, message: foreign.message, hint: foreign.hint)
            }
            guard let base, case .glob(let glob) = entries[number].pattern else { return nil }
            if glob.text.contains(/\?[A-Za-z_][A-Za-z0-9_\-]*=/) {
                return finding(
                    "the pattern '\(glob.text)' can't match: globs don't look at the query, and '?' is one character",
                    "leave the query out, or search the whole URL with rest.regex")
            }
            guard glob.canMatch(below: base) else {
                return finding(
                    "the pattern '\(glob.text)' can't match any URL below base_url \(base)",
                    "write it relative to base_url, such as \"/users/*\"; for another host, declare a service of its own"
                )
            }
            let prefix = base.url.path.dropLast()
            let text = glob.text.hasPrefix("/") ? glob.text : "/" + glob.text
            if prefix.count > 1, text.hasPrefix(prefix + "/"), !glob.text.contains("://") {
                return finding(
                    "the pattern '\(glob.text)' repeats the path of base_url: it stands for \(base)\(text.dropFirst())",
                    "write \"\(text.dropFirst(prefix.count))\": patterns are relative to base_url")
            }
            return nil
        }
    }

    private func foreign(_ pattern: URLPattern) -> ForeignPattern? {
        switch pattern {
        case .glob(let glob): ForeignPattern(glob: glob.text)
        case .regex(let regex): ForeignPattern(regex: regex.pattern)
        case .all, .resource, .predicate: nil
        }
    }

    // MARK: Shadows

    func shadows() -> [BlockFinding] {
        reviewed.compactMap(shadow)
    }

    private func shadow(of number: Int) -> BlockFinding? {
        guard runs < Self.timeout, time.isLeft else { return nil }
        let wider = Set(
            index.candidates(for: entries[number].pattern).filter { $0 > number && covers($0, number) })
        guard !wider.isEmpty else { return nil }
        var fields: Set<String> = []
        var others: [Int] = []
        for (url, method, trace) in trials(of: number) {
            guard trace.failure == nil, let step = trace.step(of: number) else { return nil }
            let changed = Self.changes(step)
            guard !changed.isEmpty else { continue }
            runs += trace.steps.count
            let without = service.traceConfiguration(url: url, method: method, without: number)
            let result = ConfigurationFacts(trace.result)
            guard without.failure == nil, result.changes(since: ConfigurationFacts(without.result)).isEmpty
            else { return nil }
            fields.formUnion(changed)
            let last = trace.steps.last { step in
                wider.contains(step.entry) && !fields.isDisjoint(with: Self.changes(step))
            }
            if let last { others.append(last.entry) }
        }
        guard !fields.isEmpty, let other = others.max(), let place = entries[other].origin else { return nil }
        let names = fields.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return BlockFinding(
            code: .shadowed, block: number,
            message: "this block has no effect: the block at \(place) sets \(names) for the same resources",
            hint: "blocks run in order and the last one wins: put the general one first, or remove this one")
    }

    private func covers(_ other: Int, _ number: Int) -> Bool {
        guard entries[other].origin != nil, entries[other].pattern.covers(entries[number].pattern) else {
            return false
        }
        guard let theirs = entries[other].methods else { return true }
        return entries[number].methods.map { $0.isSubset(of: theirs) } ?? false
    }

    private static func changes(_ step: ConfigurationTrace.Step) -> Set<String> {
        Set(
            ConfigurationFacts(step.after).changes(since: ConfigurationFacts(step.before)).map {
                switch $0 {
                case .value(let field, _, _), .added(let field, _), .removed(let field, _): field
                }
            })
    }
}
