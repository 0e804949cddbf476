internal import Coordination

extension Service {
    /// Wipes all live resources; unused ones are dropped first (1.11).
    public func wipeResources() { wipeResources { _ in true } }

    /// Wipes the live resources that match. Unused ones are dropped, and their entries in caches are removed
    /// too (D15).
    ///
    /// - Parameters:
    ///   - dropsUnused: False keeps unused resources that don't match.
    ///   - matches: Whether a resource is wiped.
    /// - Returns: The number of resources that matched.
    @discardableResult
    public func wipeResources(
        dropsUnused: Bool = true, where matches: (Resource) throws -> Bool
    ) rethrows -> Int {
        try wipeResources(dropsUnused: dropsUnused, where: matches, polling: {})
    }

    /// Wipes the resources of a partition, or of all partitions, and removes their entries in caches, whether
    /// they are in memory or not (77.7).
    ///
    /// - Parameters:
    ///   - partition: Nil for all, that of everybody included.
    ///   - matches: Nil for all URLs. It is called on other threads, too.
    /// - Returns: The number of live resources that matched.
    @discardableResult
    public func wipeResources(
        inPartition partition: String?, where matches: (@Sendable (URLText) -> Bool)? = nil
    ) -> Int {
        defer { tellOthers(.wiped, partition: partition) }
        return wipeHere(inPartition: partition, where: matches)
    }

    /// The same for a glob.
    @discardableResult
    package func wipeResources(inPartition partition: String?, _ pattern: GlobPattern) -> Int {
        defer { tellOthers(.wiped, partition: partition, .glob(pattern.text)) }
        return wipeHere(inPartition: partition, where: pattern.function)
    }

    /// The same for this host alone; see ``Resource/overrideHere(_:includingShared:)``.
    @discardableResult
    func wipeHere(
        inPartition partition: String?, where matches: (@Sendable (URLText) -> Bool)?,
        includingShared: Bool = true
    ) -> Int {
        let count = wipeHere(
            dropsUnused: true, includingShared: includingShared,
            where: {
                guard partition == nil || $0.partition == partition else { return false }
                guard let matches else { return true }
                return $0.url.map(matches) ?? false
            }, polling: {})
        removeFromCaches(partition: partition, includingShared: includingShared, where: matches)
        return count
    }

    /// Removes entries of caches, whether their resources are in memory or not, and for all URLs the cookies
    /// of the partition.
    private func removeFromCaches(
        partition: String?, includingShared: Bool, where matches: (@Sendable (URLText) -> Bool)?
    ) {
        if matches == nil { core.partitionCookies.remove(partition) }
        engine.removeFromCaches(of: name, includingShared: includingShared) { own, url in
            guard partition == nil || own == partition else { return false }
            guard let matches else { return true }
            return URLText(url).map(matches) ?? false
        }
    }

    /// Ends a wipe of resources that were wiped one by one: removes the entries of those that are not in
    /// memory, and tells other hosts.
    ///
    /// - Parameter pattern: Nil for all URLs.
    package func finishWipe(partition: String?, _ pattern: GlobPattern?) {
        removeFromCaches(
            partition: partition, includingShared: true,
            where: pattern?.function)
        tellOthers(.wiped, partition: partition, pattern.map { .glob($0.text) } ?? .all)
    }

    /// The same, with a call of `poll` before each step. If it throws, only some of the resources have been
    /// wiped.
    ///
    /// - Parameter glob: What other hosts wipe; nil for all, because they don't know the function.
    @discardableResult
    package func wipeResources(
        dropsUnused: Bool = true, glob: String? = nil, where matches: (Resource) throws -> Bool,
        polling poll: () throws -> Void
    ) rethrows -> Int {
        defer { tellOthers(.wiped, glob.map { .glob($0) } ?? .all) }
        return try wipeHere(dropsUnused: dropsUnused, where: matches, polling: poll)
    }

    private func wipeHere(
        dropsUnused: Bool, includingShared: Bool = true, where matches: (Resource) throws -> Bool,
        polling poll: () throws -> Void
    ) rethrows -> Int {
        var all = try core.table.live.filter {
            try poll()
            return try matches($0)
        }
        let count = all.count
        guard dropsUnused else {
            for resource in all {
                try poll()
                resource.wipeHere(includingShared: includingShared)
            }
            return count
        }
        for resource in all {
            try poll()
            resource.removeFromCaches(includingShared: includingShared)
        }
        let matching = Set(all.map(ObjectIdentifier.init))
        all = []
        core.table.flush()
        // A new resource at the address of one that was dropped has no data.
        for resource in core.table.live where matching.contains(ObjectIdentifier(resource)) {
            try poll()
            resource.wipeHere(includingShared: includingShared)
        }
        return count
    }
}
