/// Tells other hosts which data is not true any more.
@EngineActor
package protocol SharedNews: AnyObject, Sendable {
    /// A change was made here. It may not wait.
    func publish(_ change: SharedChange)
}

/// A change that all hosts make, each with its own resources.
package struct SharedChange: Sendable {
    package enum Kind: Sendable {
        /// `invalidate()` of a resource.
        case stale
        /// The server was asked to change it (rule 52.6).
        case outdated
        case wiped
        /// Data that was set locally, with the seconds for which it is fresh.
        case overridden(Entity, expirationSeconds: Double?)
        /// Configuration blocks run again.
        case blocks
    }

    package enum Target: Sendable, Equatable {
        case all
        case url(String)
        /// Relative to the service's base URL.
        case glob(String)
    }

    package var kind: Kind
    package var service: String
    /// For a URL nil is the part of everybody, and otherwise all partitions.
    package var partition: String?
    package var target: Target

    package init(_ kind: Kind, service: String, partition: String? = nil, _ target: Target = .all) {
        (self.kind, self.service, self.partition, self.target) = (kind, service, partition, target)
    }
}

extension Resource {
    /// Tells other hosts of a change. Resources whose partition only this process knows have no counterpart.
    func tell(_ kind: SharedChange.Kind) {
        guard let news = engine.sharedNews, let url, !isOfProcess else { return }
        news.publish(SharedChange(kind, service: core.name, partition: partition, .url(url.string)))
    }
}

extension Service {
    func tell(_ kind: SharedChange.Kind, partition: String? = nil, _ target: SharedChange.Target = .all) {
        engine.sharedNews?.publish(SharedChange(kind, service: name, partition: partition, target))
    }

    /// Wipes what a glob names, as another host says, without publishing it.
    private func wipeHere(partition: String?, _ glob: String?) {
        let pattern: GlobPattern?
        // A pattern that this host can't read must not leave data behind.
        do throws(PatternError) {
            pattern = try glob.map { text throws(PatternError) in
                try GlobPattern(text, base: baseURL).forPaths()
            }
        } catch { pattern = nil }
        for resource in core.table.live {
            guard partition == nil || resource.partition == partition, let url = resource.url,
                pattern?.matches(url) ?? true
            else { continue }
            resource.wipeHere(isShared: false)
        }
        core.flush()
        engine.removeFromCaches(of: name, includingShared: false) { own, url in
            guard partition == nil || own == partition else { return false }
            guard let pattern else { return true }
            return URLText(url).map(pattern.matches) ?? false
        }
    }

    /// Makes a change of another host here. Caches that hosts share have been changed by that host.
    package func apply(_ change: SharedChange) {
        if case .blocks = change.kind { return core.invalidateConfiguration() }
        switch change.target {
        case .url(let text):
            let known = core.table.existing(ResourceKey(change.partition, text))
            guard let resource = known ?? absent(text, change) else { return }
            apply(change.kind, to: resource)
        case .all, .glob:
            guard case .wiped = change.kind else { return expireAll() }
            var glob: String?
            if case .glob(let text) = change.target { glob = text }
            wipeHere(partition: change.partition, glob)
        }
    }

    /// A resource that isn't in memory matters if a cache of this host may have an entry for it.
    private func absent(_ text: String, _ change: SharedChange) -> Resource? {
        if case .stale = change.kind { return nil }
        guard engine.hasOwnCaches else { return nil }
        return resource(absoluteURL: text, partition: change.partition)
    }

    private func apply(_ kind: SharedChange.Kind, to resource: Resource) {
        switch kind {
        case .stale: resource.invalidateHere(isShared: false)
        case .outdated: resource.outdateHere(isShared: false)
        case .wiped: resource.wipeHere(isShared: false)
        case .overridden(let entity, let seconds):
            resource.overrideHere(entity, expirationSeconds: seconds, isShared: false)
        case .blocks: break
        }
    }

    /// All of its data is stale, and that of loads in flight: changes of other hosts may have been missed.
    package func expireAll() {
        for resource in core.table.live { resource.outdateHere(isShared: false) }
        engine.removeFromCaches(of: name, includingShared: false) { _, _ in true }
    }
}
