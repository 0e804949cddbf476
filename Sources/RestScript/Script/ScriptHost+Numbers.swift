import RestEngine

extension ScriptHost {
    /// Jobs and timers that are alive.
    public var jobCount: Int { context.jobs.count }

    /// Requests of the engine that have started and not yet ended.
    public var openRequests: Int { context.engine.openRequests }
}
