extension Resource {
    /// The stages of the GET pipeline that have caches. A configuration that failed has none.
    var cachedStages: [CachedStage] { resolvedConfiguration(for: "GET").cachedStages }

    /// Looks into the caches, once in the resource's life and again after a wipe (rule 22.8). Belongs
    /// wherever somebody looks at the data or begins to observe. Without caches, or with data, it does nothing.
    func startCacheLookup() {
        // A block may look at the resource that it configures; the next look will do.
        guard state.data == nil, caching?.hasLookedUp != true, !isResolving, !cachedStages.isEmpty else {
            return
        }
        cachingForWork().startLookup(of: self)
    }

    /// A load that waits for the look-up; nil when there is none to wait for.
    func loadAfterLookup(joins: Bool) -> Request? {
        guard state.data == nil, let lookup = caching?.lookup else { return nil }
        let request = Request(engine: engine, work: CacheLookupWork(self, lookup, joins: joins))
        loadRequests.append(request)
        request.onCompletion { [unowned request] _ in
            // Still listed, it was cancelled while it waited.
            guard self.loadRequests.contains(identical: request) else { return }
            self.loadRequests.remove(identical: request)
            self.notify(.requestCancelled)
        }
        return request.start()
    }

    /// What a load that counted means to the caches. Writes go out in the order of the stages. A request that had
    /// ended before it became a load makes the caches agree with it again: what it has no value for goes (D17).
    func updateCaches(after event: ResourceEvent, _ info: ResponseInfo, hadEnded: Bool) {
        switch event {
        case .newData(.network), .error:
            guard let outputs = info.stageOutputs, outputs.resource === self else { return }
            write(outputs, removingOthers: hadEnded && event != .error)
        case .notModified:
            guard let time = state.data?.timestamp else { return }
            for stage in cachedStages { cachingForWork().ask(.updateTimestamp(time), stage, of: self) }
        default: break
        }
    }

    func write(_ outputs: StageOutputs, timestamp: Double? = nil, removingOthers: Bool = false) {
        for stage in cachedStages {
            if var entity = outputs.entity(at: stage.name) {
                entity.timestamp = timestamp ?? entity.timestamp
                cachingForWork().ask(.write(entity), stage, of: self)
            } else if removingOthers {
                cachingForWork().ask(.remove, stage, of: self)
            }
        }
    }

    /// After a local override and a wipe (22.13, D15).
    func removeFromCaches() {
        for stage in cachedStages { cachingForWork().ask(.remove, stage, of: self) }
    }

    private func cachingForWork() -> ResourceCaching {
        if let caching { return caching }
        let new = ResourceCaching()
        caching = new
        return new
    }
}
