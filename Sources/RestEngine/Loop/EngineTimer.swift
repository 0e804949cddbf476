/// A callback at a later time; cancelled by ``cancel()``, not by being dropped.
@EngineActor
public final class EngineTimer {
    /// In the heap of its scheduler, which alone sets it; nil when it isn't there.
    var place: Int?
    private var work: (@EngineActor () -> Void)?
    /// Weak: whoever holds a timer keeps nothing else.
    private weak var scheduler: Scheduler?

    init(on scheduler: Scheduler, _ work: @escaping @EngineActor () -> Void) {
        self.scheduler = scheduler
        self.work = work
    }

    /// Keeps the callback from running; no effect when it has run.
    public func cancel() {
        if place != nil { scheduler?.remove(self) }
        work = nil
    }

    /// Its time has come, and it is in the heap no more.
    func run() {
        guard let work else { return }
        self.work = nil
        work()
    }
}
