/// One of a pool: a Lua state and what does jobs with it. It is made, used and closed on one thread.
public protocol LuaPoolWorker: SendableMetatype {
    associatedtype Job: Sendable
    associatedtype Answer: Sendable

    func perform(_ job: Job) -> Answer

    /// Its state failed so badly that a fresh one shall do the next job.
    var isSpoiled: Bool { get }

    /// Frees the state.
    func close() -> LeakReport
}

/// Why a job of a pool has no answer.
extension LuaWedge: Error {}
