package import Coordination

extension Resource {
    /// Tells other hosts of a change that was made here. Resources whose partition only this process knows
    /// have no counterpart there.
    func tellOthers(_ change: Invalidation.Change) {
        guard let coordination = engine.coordination, let url, !isOfProcess else { return }
        coordination.publish(
            Invalidation(change, service: core.name, partition: partition, .url(url.string)))
    }

    /// The same for data that was set.
    func tellOthers(overridden data: OverriddenData) {
        guard engine.coordination != nil else { return }
        // Data that can't leave the process, or is too large, is gone on other hosts.
        tellOthers(data.bytes.map { .overridden($0) } ?? .wiped)
    }
}

extension Service {
    func tellOthers(
        _ change: Invalidation.Change, partition: String? = nil, _ target: Invalidation.Target = .all
    ) {
        engine.coordination?.publish(Invalidation(change, service: name, partition: partition, target))
    }

    /// Runs the configuration blocks again, in this host alone.
    package func invalidateConfigurationHere() { core.invalidateConfiguration() }

    /// Makes a change of another host here. Caches that hosts share have been changed by that host.
    package func apply(_ invalidation: Invalidation) {
        switch invalidation.change {
        case .blocks: return invalidateConfigurationHere()
        case .everything: return distrust()
        default: break
        }
        switch invalidation.target {
        case .url(let text):
            let known = core.table.existing(ResourceKey(invalidation.partition, text))
            guard let resource = known ?? absent(text, invalidation) else { return }
            apply(invalidation.change, to: resource)
        case .all, .glob:
            guard case .wiped = invalidation.change else { return distrust() }
            var pattern: GlobPattern?
            // A pattern that this host can't read must not leave data behind.
            if case .glob(let text) = invalidation.target {
                pattern = try? GlobPattern(text, base: baseURL).forPaths()
            }
            wipeHere(
                inPartition: invalidation.partition,
                where: pattern?.function, includingShared: false)
        }
    }

    /// A resource that isn't in memory matters if a cache of this host may have an entry for it.
    private func absent(_ text: String, _ invalidation: Invalidation) -> Resource? {
        if invalidation.change == .stale { return nil }
        guard engine.hasOwnCaches else { return nil }
        return resource(absoluteURL: text, partition: invalidation.partition)
    }

    private func apply(_ change: Invalidation.Change, to resource: Resource) {
        switch change {
        case .stale: resource.invalidateHere(includingShared: false)
        case .outdated: resource.outdateHere(includingShared: false)
        case .wiped: resource.wipeHere(includingShared: false)
        case .overridden(let bytes):
            guard let data = OverriddenData(bytes) else { return resource.wipeHere(includingShared: false) }
            resource.overrideHere(data, includingShared: false)
        case .blocks, .everything: break
        }
    }

    /// Changes of other hosts may have been missed: all data of before is stale, in memory and in the caches
    /// of this host, and so is that of loads in flight.
    package func distrust() {
        core.trustedSince = engine.scheduler.now
        for resource in core.table.live { resource.distrust() }
    }
}
