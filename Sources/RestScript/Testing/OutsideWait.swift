import RestEngine

/// Waits for what other threads do for an engine: the queue of a cache, a pool of transformers.
@EngineActor
enum OutsideWait {
    /// What a test waits for takes no longer, unless it hangs.
    private static let patience = 30.0

    static let complaint = "the test waits for work outside of the loop, a cache perhaps, that doesn't end"

    /// Returns when one of the engines has had its last answer; false when that takes too long.
    static func finish(of engines: [Engine]) async -> Bool {
        let busy = engines.filter { $0.outsideWork > 0 }
        // On the machine's clock: this is no time of the test's.
        let scheduler = Scheduler()
        defer {
            for engine in busy { engine.onOutsideWorkDone = nil }
            scheduler.clear()
        }
        return await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<Bool, Never>? = continuation
            func end(_ isDone: Bool) {
                waiting?.resume(returning: isDone)
                waiting = nil
            }
            for engine in busy { engine.onOutsideWorkDone = { end(true) } }
            scheduler.after(patience) { end(false) }
        }
    }
}
