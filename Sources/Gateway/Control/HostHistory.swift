public import RestEngine

/// The latest requests of a host, those of its clients and those to APIs, for the inspector (rules 76).
/// A host with an inspector keeps them from its start. Otherwise the first look begins it, and it ends some
/// minutes after the last one.
public final class HostHistory: Sendable {
    /// Seconds after the last look; see docs/reference/limits.md, L365.
    static let patience = 600.0

    let requests = EventHistory()
    let clients = ClientHistory()
    /// The Unix time at which it began to keep requests.
    @EngineActor private(set) var since = 0.0
    @EngineActor private var isKeptOn = false
    @EngineActor private var lastLook = 0.0
    @EngineActor private var timer: EngineTimer?
    /// Called with true when ``note(_:)`` is wanted from now on, and with false when it isn't any more.
    @EngineActor private var onChange: @EngineActor (Bool) -> Void = { _ in }

    public init() {}

    /// Sets what happens when requests of clients are wanted, or not wanted any more.
    @EngineActor
    public func onChange(_ handler: @escaping @EngineActor (Bool) -> Void) { onChange = handler }

    /// Keeps requests from now on, whether somebody looks or not.
    @EngineActor
    public func begin(_ engine: Engine) {
        isKeptOn = true
        record(engine)
    }

    /// Adds a request that a client made. On any thread.
    public func note(_ record: AccessRecord) { clients.note(record) }

    /// Somebody looks.
    @EngineActor
    func look(_ engine: Engine?) {
        guard let engine else { return }
        lastLook = engine.scheduler.uptime
        record(engine)
    }

    @EngineActor
    private func record(_ engine: Engine) {
        guard !requests.isRecording else { return }
        since = engine.scheduler.now
        requests.begin(engine)
        onChange(true)
        if !isKeptOn { end(engine.scheduler, after: Self.patience) }
    }

    @EngineActor
    private func end(_ scheduler: Scheduler, after seconds: Double) {
        timer = scheduler.after(seconds) { [weak self, weak scheduler] in
            guard let self, let scheduler else { return }
            timer = nil
            let rest = lastLook + Self.patience - scheduler.uptime
            guard rest <= 0 else { return end(scheduler, after: rest) }
            requests.end()
            clients.clear()
            onChange(false)
        }
    }
}
