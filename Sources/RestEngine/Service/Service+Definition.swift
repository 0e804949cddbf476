extension Service {
    /// The declared settings of a service: everything except its resources. A script that is loaded again
    /// declares them again, and the resources stay, with their data, observers and published answers
    /// (ARCHITECTURE.md, Four walks).
    package struct Definition {
        let configuration: ConfigurationTable
        let transport: any Transport
        let refusal: (@EngineActor (URLText) -> RequestError.Cause?)?
        let cookies: CookieJar?
        let onResourceLimit: (@EngineActor () -> Void)?
        var generation: Int
    }

    /// Begins a new definition, with only standard transformers, and returns the old one for ``restore(_:)``.
    /// End it with ``definitionIsComplete()``. The engine loop must not run a tick in between.
    ///
    /// - Parameter transport: Nil keeps the current one with its connections.
    package func redefine(
        standardTransformers: [StandardTransformer], transport: (any Transport)?
    ) -> Definition {
        let old = core.definition
        core.lastGeneration += 1
        let table = ConfigurationTable(after: old.configuration)
        for standard in standardTransformers { table.add(standard.entry) }
        core.set(
            Definition(
                configuration: table, transport: transport ?? old.transport, refusal: nil,
                cookies: nil, onResourceLimit: nil,
                generation: core.lastGeneration))
        core.isBeingRedefined = true
        return old
    }

    /// Call this when a transformer has changed although the definition is the same: its data becomes stale.
    package func transformersChanged() {
        core.lastGeneration += 1
        var definition = core.definition
        definition.generation = core.lastGeneration
        core.set(definition)
        core.invalidateConfiguration()
    }

    /// Restores the old definition after the new one has failed.
    package func restore(_ definition: Definition) {
        definition.configuration.skip(past: core.configuration)
        core.set(definition)
        core.isBeingRedefined = false
    }

    /// Completes the new definition. Published answers are withdrawn, because their freshness depends on the
    /// configuration.
    package func definitionIsComplete() {
        core.isBeingRedefined = false
        core.republish()
        core.table.forEach { $0.definitionChanged() }
    }
}

extension Resource {
    /// Computed data was made by functions of the old definition. It is stale, and computed again if it is
    /// observed.
    fileprivate func definitionChanged() {
        guard let computed else { return }
        if configuration(for: "GET").computation == nil {
            self.computed = nil
            return
        }
        computed.sourceChanged()
    }
}
