/// Makes an explanation, one block at a time, because there may be many.
@EngineActor
final class ExplanationMaker {
    private let service: Service
    private let url: URLText
    private let method: String
    /// Knows more secrets after each block.
    private var mask: SecretMask
    /// The definition whose request is explained; nil for a resource.
    private let definition: RequestDefinition?
    private let trace: ConfigurationTrace
    /// The part that is finished.
    private var made: Explanation
    /// The number of steps whose secrets the mask knows, and of steps that are explained. The secrets of all
    /// steps must be known before the first is explained.
    private var (learned, explained) = (0, 0)
    /// The configuration after the last explained step.
    private var before = ConfigurationFacts(Configuration())

    /// Runs the blocks.
    init(
        _ service: Service, _ url: URLText, _ method: String, _ mask: SecretMask,
        of definition: RequestDefinition? = nil
    ) {
        self.service = service
        self.url = url
        self.method = method
        self.definition = definition
        self.mask = mask.hiding(Headers(), url: url.string)
        trace = service.traceConfiguration(url: url, method: method)
        made = Explanation(service: service.name, url: self.mask.url(url.string), method: method)
    }

    /// The whole explanation.
    func explanation(poll: () throws -> Void) rethrows -> Explanation {
        while addBlock() { try poll() }
        return finished()
    }

    /// Handles one more block; false when all are explained.
    func addBlock() -> Bool {
        guard learned == trace.steps.count else {
            let step = trace.steps[learned]
            mask = mask.hiding(step.after.headers.added(to: step.before.headers))
            learned += 1
            return true
        }
        guard explained < trace.steps.count else { return false }
        let step = trace.steps[explained]
        var block = block(step.entry)
        let after = ConfigurationFacts(step.after)
        block.changes = after.changes(since: before).map(masked)
        before = after
        block.failure = step.failure.map { .init($0, mask) }
        made.blocks.append(block)
        explained += 1
        return true
    }

    /// Adds the parts that come after the blocks.
    func finished() -> Explanation {
        var made = made
        made.otherMethods = trace.otherMethods.map(block)
        let own = definition.map { configure(by: $0, after: trace, method) }
        made.blocks += own?.blocks ?? []
        made.properties = definition.map(properties) ?? []
        let result = own?.result ?? trace.result
        made.settings = ConfigurationFacts(result).fields.map { ($0.name, masked($0.name, $0.value)) }
        made.mutators = result.mutators.map { .init(description: "", origin: $0.origin) }
        if let failure = trace.failure ?? own?.failure {
            made.failures.append(.init(failure, mask))
            return made
        }
        if let declaration = result.computation {
            made.computed = explain(declaration)
            finish(&made, result)
            return made
        }
        do {
            // As a request is built: URL and method, configured headers, its own, mutators (rule 15.1).
            var draft = RequestDraft(method: method, url: url.string, headers: result.headers)
            for mutation in try definition?.prepared.planOfRequest().mutations ?? [] { try mutation(&draft) }
            try service.core.configuration.limited(url) {
                for mutator in result.mutators {
                    // Values that it set before it threw are secret too.
                    defer { mask = mask.hiding(draft.headers, url: draft.url) }
                    try mutator.function(&draft)
                }
            }
            try draft.validate(known: url)
            made.draft = shown(draft)
            refuse(draft.url, &made)
            let final =
                draft.method == method ? trace : service.traceConfiguration(url: url, method: draft.method)
            if final.failure != nil, draft.method != method, let failure = final.failure {
                made.failures.append(.init(failure, mask))
            }
            finish(&made, own != nil && draft.method == method ? result : final.result)
        } catch {
            let failure = RequestError(thrown: error, timestamp: 0, url: url.string, method: method)
            made.failures.append(.init(failure, mask))
            finish(&made, result)
        }
        return made
    }

    /// Runs the functions of a definition one after the other, up to the first that fails.
    private func configure(
        by definition: RequestDefinition, after trace: ConfigurationTrace, _ method: String
    ) -> (blocks: [Explanation.Block], result: Configuration, failure: RequestError?) {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        draft.configuration = trace.result
        var blocks: [Explanation.Block] = []
        guard trace.failure == nil else { return (blocks, trace.result, nil) }
        for (index, function) in definition.contents.configuration.enumerated() {
            let before = draft.configuration
            var failure: RequestError?
            do { try function.value.apply(draft) } catch {
                failure = RequestError(thrown: error, timestamp: 0, url: url.string, method: method)
            }
            mask = mask.hiding(draft.configuration.headers)
            let level = definition.levels[function.level]
            var block = Explanation.Block(
                number: service.configurationEntries.count + index + 1,
                description: mask.line("configure of \(level.description)"), origin: function.value.origin,
                pattern: mask.url(url.string), methods: nil)
            block.changes = ConfigurationFacts(draft.configuration).changes(since: ConfigurationFacts(before))
                .map(masked)
            block.failure = failure.map { .init($0, mask) }
            blocks.append(block)
            if failure != nil { return (blocks, draft.configuration, failure) }
        }
        return (blocks, draft.configuration, nil)
    }

    private func properties(_ definition: RequestDefinition) -> [Explanation.Property] {
        definition.contents.facts.map { fact in
            let isSecret = fact.kind == .query && mask.hides(fact.name)
            let value =
                fact.kind == .header ? mask.header(fact.name, fact.value) : mask.line(fact.value)
            return Explanation.Property(
                kind: fact.kind, name: fact.name, value: isSecret ? SecretMask.text : value, level: fact.level
            )
        }
    }

    private func explain(_ declaration: ComputedDeclaration) -> Explanation.Computed {
        let sources = service.core.table.existing(ResourceKey(nil, url.string))?.computed?.sources.map {
            Explanation.Computed.Source(url: mask.url($0.record.key.url), timestamp: $0.timestamp)
        }
        return Explanation.Computed(
            origin: declaration.origin, follows: declaration.follows, sources: sources)
    }

    private func block(_ number: Int) -> Explanation.Block {
        let entry = service.configurationEntries[number]
        return Explanation.Block(
            number: number + 1, description: mask.line(entry.description), origin: entry.origin,
            pattern: mask.line(entry.pattern.description), methods: entry.methods?.map(\.rawValue).sorted())
    }

    private func shown(_ draft: RequestDraft) -> Explanation.Draft {
        Explanation.Draft(
            method: draft.method, url: mask.url(draft.url),
            headers: draft.headers.fields.filter { !Headers.framesMessage($0.name) }
                .map { ($0.name, mask.header($0.name, $0.value)) },
            bodyBytes: draft.body?.count)
    }

    private func refuse(_ url: String, _ made: inout Explanation) {
        guard let url = URLText(url), let cause = service.refusal?(url) else { return }
        made.failures.append(.init(RequestError(cause: cause, timestamp: 0), mask))
    }

    /// Adds decorators and stages, which depend on the method that is sent (14.20).
    private func finish(_ made: inout Explanation, _ configuration: Configuration) {
        made.decorators = configuration.decorators.map { .init(description: "", origin: $0.origin) }
        let pipeline = configuration.pipeline
        made.stages = (pipeline.order + pipeline.unlistedStages).map { name in
            Explanation.Stage(
                name: name.rawValue, isListed: pipeline.order.contains(name),
                transformers: pipeline[name].steps.map { masked(Explanation.Part($0)) },
                cache: pipeline[name].cache.map { mask.line($0.description) })
        }
    }

    // MARK: Secrets

    private func masked(_ change: Explanation.Change) -> Explanation.Change {
        switch change {
        case .value(let field, let before, let after):
            .value(
                field, before: before.map { masked(field, $0) }, after: after.map { masked(field, $0) })
        case .added(let field, let part): .added(field, masked(part))
        case .removed(let field, let part): .removed(field, masked(part))
        }
    }

    private func masked(_ part: Explanation.Part) -> Explanation.Part {
        .init(description: mask.line(part.description), origin: part.origin, contentTypes: part.contentTypes)
    }

    private func masked(_ field: String, _ value: Tree) -> Tree {
        let header = field.hasPrefix(ConfigurationFacts.headerPrefix)
        let name = header ? String(field.dropFirst(ConfigurationFacts.headerPrefix.count)) : nil
        func masked(_ text: String) -> Tree { Tree(name.map { mask.header($0, text) } ?? mask.line(text)) }
        if let text = value.string { return masked(text) }
        guard value.kind == .array else { return value }
        return Tree(value.elements.map { $0.string.map(masked) ?? $0 })
    }
}
