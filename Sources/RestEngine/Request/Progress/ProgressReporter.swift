/// Notifies the progress hooks of one request of new values, at intervals while it runs (rule 12.2). A
/// request without such hooks has no reporter, and needs no timer.
@EngineActor
final class ProgressReporter {
    private static let shortestInterval = 0.001

    private unowned let request: Request
    private var hooks: [@EngineActor (Double) -> Void] = []
    /// The last reported value; nil before the first report.
    private var last: Double?
    private var timer: EngineTimer?
    private var isRunning = false

    init(_ request: Request) { self.request = request }

    func add(_ hook: @escaping @EngineActor (Double) -> Void) { hooks.append(hook) }

    /// Takes the hooks, for the final report of 1.
    func takeHooks() -> [@EngineActor (Double) -> Void] {
        defer { hooks = [] }
        return hooks
    }

    /// Starts reporting: with the current value in the next tick or, for a request that has run for a while,
    /// with the next change (12.5).
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
        // The value 1 is reported at the end, once to each hook (12.3).
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
