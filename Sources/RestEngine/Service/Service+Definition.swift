extension Service {
    /// What whoever declared a service said of it: everything but its resources. A script that is loaded
    /// again says it anew, and the resources stay, with their data, observers and published answers
    /// (ARCHITECTURE.md, Four walks).
    package struct Definition {
        let configuration: ConfigurationTable
        let transport: any Transport
        let refusal: (@EngineActor (URLText) -> RequestError.Cause?)?
        let cookies: CookieJar?
        let onResourceLimit: (@EngineActor () -> Void)?
        var generation: Int
    }

    /// Begins a new definition, with standard transformers alone, and gives the old one, which
    /// ``restore(_:)`` brings back. ``definitionIsComplete()`` ends it. The engine loop must not turn in
    /// between.
    ///
    /// - Parameter transport: nil keeps the one that there is, with its connections.
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

    /// A transformer does something else from now on, though the definition is the same: data that it made is
    /// stale.
    public func transformersChanged() {
        core.lastGeneration += 1
        var definition = core.definition
        definition.generation = core.lastGeneration
        core.set(definition)
        invalidateConfiguration()
    }

    /// The new definition was no good.
    package func restore(_ definition: Definition) {
        definition.configuration.skip(past: core.configuration)
        core.set(definition)
        core.isBeingRedefined = false
    }

    /// The new definition is good: readers on other threads ask again, for how long an answer is fresh is
    /// configured.
    public func definitionIsComplete() {
        core.isBeingRedefined = false
        core.republish()
    }
}
