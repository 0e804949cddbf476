extension Service {
    /// What a person types as an address: an absolute URL, or a path below the base URL, with a query or
    /// without. A query goes with that of the base URL, as in the gateway.
    public func url(typed text: String) -> URLText? {
        if text.hasPrefix("http://") || text.hasPrefix("https://") { return URLText(text) }
        guard let mark = text.firstIndex(of: "?") else { return baseURL?.resource(text) }
        let resource = baseURL?.resource(String(text[..<mark]))
        let own = resource?.query.map { $0 + "&" } ?? ""
        return resource?.relative("?" + own + text[text.index(after: mark)...])?.withParams([])
    }

    /// Why the resource at an address would be requested the way it would; see ``url(typed:)``. Blocks and
    /// mutators run for it, on configurations and a request that nobody else sees; nothing is sent, and
    /// nothing changes.
    public func explain(
        _ address: String, method: Method = .get, mask: SecretMask = .standard
    ) -> Explanation {
        guard let url = url(typed: address) else {
            let isPath = baseURL == nil
            return failed(
                url: address, method.rawValue,
                isPath
                    ? "the service has no base_url: give an absolute URL" : "'\(address)' is no path or URL",
                mask)
        }
        return explain(url, method: method, mask: mask)
    }

    /// Explains what a request for a URL would do.
    public func explain(
        _ url: URLText, method: Method = .get, mask: SecretMask = .standard
    ) -> Explanation {
        guard url.isHTTP else {
            return failed(
                url: url.string, method.rawValue, "'\(url)' is not a URL that can be requested", mask)
        }
        var maker = ExplanationMaker(
            service: self, url: url, mask: mask.hiding(Headers(), url: url.string))
        return maker.explanation(of: method.rawValue)
    }

    /// Explains what a definition would send, and which level gave it each property (rule 34.7).
    func explain(_ definition: RequestDefinition, mask: SecretMask) -> Explanation {
        let url = definition.url
        var maker = ExplanationMaker(
            service: self, url: url, mask: mask.hiding(definition.headers, url: url.string))
        maker.definition = definition
        return maker.explanation(of: definition.method)
    }

    private func failed(
        url: String, _ method: String, _ message: String, _ mask: SecretMask
    ) -> Explanation {
        var explanation = Explanation(service: name, url: mask.url(url), method: method)
        let mask = mask.hiding(Headers(), url: url)
        let script = RequestError.ScriptFailure(message: message)
        explanation.failures = [.init(RequestError(cause: .scriptError(script), timestamp: 0), mask)]
        return explanation
    }
}

/// Puts an explanation together.
@EngineActor
private struct ExplanationMaker {
    let service: Service
    let url: URLText
    /// Learns on the way what is secret here.
    var mask: SecretMask
    /// Whose request it is; nil for a resource's.
    var definition: RequestDefinition?

    mutating func explanation(of method: String) -> Explanation {
        var made = Explanation(service: service.name, url: mask.url(url.string), method: method)
        let trace = service.traceConfiguration(url: url, method: method)
        for step in trace.steps { mask = mask.hiding(step.after.headers) }
        // Each begins with what the one before it made.
        var before = ConfigurationFacts(Configuration())
        made.blocks = trace.steps.map { step in
            var block = block(step.entry)
            let after = ConfigurationFacts(step.after)
            block.changes = after.changes(since: before).map(masked)
            before = after
            block.failure = step.failure.map { .init($0, mask) }
            return block
        }
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
        do {
            // As a request is built: URL and method, configured headers, its own, mutators (rule 15.1).
            var draft = RequestDraft(method: method, url: url.string, headers: result.headers)
            for mutation in try definition?.prepared.planOfRequest().mutations ?? [] { try mutation(&draft) }
            for mutator in result.mutators {
                // What it set before it raised is secret too.
                defer { mask = mask.hiding(draft.headers, url: draft.url) }
                try mutator.function(&draft)
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

    /// Runs a definition's own functions, one after the other up to the first that fails.
    private mutating func configure(
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

    /// What the method that is sent decides (14.20).
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
