/// A callback at a later time. Cancel it with ``cancel()``; releasing it does not cancel it.
@EngineActor
public final class EngineTimer {
    /// The index in the scheduler's heap, set only by the scheduler; nil when it isn't in the heap.
    var place: Int?
    private var work: (@EngineActor () -> Void)?
    /// Weak, so that a timer keeps only its callback alive.
    private weak var scheduler: Scheduler?

    init(on scheduler: Scheduler, _ work: @escaping @EngineActor () -> Void) {
        self.scheduler = scheduler
        self.work = work
    }

    /// Prevents the callback from running; no effect after it has run.
    public func cancel() {
        if place != nil { scheduler?.remove(self) }
        work = nil
    }

    /// Runs the callback; the timer was removed from the heap before.
    func run() {
        guard let work else { return }
        self.work = nil
        work()
    }
}
