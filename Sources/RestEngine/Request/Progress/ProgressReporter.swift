/// Tells the progress hooks of one request what is new, at intervals, while it runs (rule 12.2).
/// A request that nobody listens to has none, and so costs no timer.
@EngineActor
final class ProgressReporter {
    private static let shortestInterval = 0.001

    private unowned let request: Request
    private var hooks: [@EngineActor (Double) -> Void] = []
    /// What was reported last; nil before the first report.
    private var last: Double?
    private var timer: EngineTimer?
    private var isRunning = false

    init(_ request: Request) { self.request = request }

    func add(_ hook: @escaping @EngineActor (Double) -> Void) { hooks.append(hook) }

    /// The hooks, for their report of 1.
    func takeHooks() -> [@EngineActor (Double) -> Void] {
        defer { hooks = [] }
        return hooks
    }

    /// Starts reporting: with what there is, in the next turn, or with the next change, for a request that
    /// has run for a while (12.5).
    func begin(atOnce: Bool) {
        guard !isRunning else { return }
        isRunning = true
        if atOnce {
            request.engine.scheduler.nextTick { [weak self] in self?.tick() }
        } else {
            last = request.progress
            arm()
        }
    }

    func stop() {
        isRunning = false
        timer?.cancel()
        timer = nil
    }

    private func tick() {
        guard isRunning else { return }
        let value = request.progress
        // A 1 is for the end, where each hook gets it once (12.3).
        if value != last, value < 1 {
            last = value
            for hook in hooks { hook(value) }
        }
        if isRunning { arm() }
    }

    private func arm() {
        let interval = max(request.work.progressInterval, Self.shortestInterval)
        guard interval.isFinite else { return }
        timer = request.engine.scheduler.after(interval) { [weak self] in self?.tick() }
    }
}
