extension Resource {
    /// Asks for data that other hosts load, so that observers of all hosts see the same data in one order.
    func followOthers() {
        guard let coordination = engine.coordination, sharing(by: resolvedConfiguration(for: "GET")) != nil
        else { return }
        coordination.follow(self)
    }

    /// Says that a load which hosts don't share has brought new data.
    func announceToOthers() {
        guard let coordination = engine.coordination, sharing(by: resolvedConfiguration(for: "GET")) == true
        else { return }
        afterSharedWrites { [self] in coordination.announce(self) }
    }

    /// A load that another host has made, for the observers here: it is used, or abandoned, and never sent.
    /// Nil if there are no observers, or hosts don't share loads of this resource.
    ///
    /// It ends at once when a change comes, because data that is on its way may be older.
    package func sharedUpdate() -> SharedLoad? {
        guard isObserved, let list = observers,
            let hasCache = sharing(by: resolvedConfiguration(for: "GET"))
        else { return nil }
        let update = SharedLoad(self, hasCache: hasCache, lookedAt: nil) { [weak self] entity in
            if let entity { self?.receive(entity) }
        }
        list.update?.abandon()
        list.update = update
        return update
    }

    /// Data that is on its way from other hosts may be older than a change.
    func stopUpdate() {
        observers?.update?.abandon()
    }

    private func receive(_ entity: Entity) {
        guard refusal(of: entity) == nil else { return }
        let event = state.receive(entity, at: engine.scheduler.time)
        pipelineVersion = pipelineVersion(of: resolvedConfiguration(for: "GET"))
        notify(event)
    }
}

extension Service {
    /// Follows all resources that are observed now.
    package func followOthers() {
        for resource in core.table.live where resource.isObserved { resource.followOthers() }
    }
}
