import LuaRuntime
import RestEngine

/// `rest.on_reload` and `rest.on_shutdown`.
struct LifetimeBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: lifetimeFunctions) }

    private var lifetimeFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "on_reload", "(fn: function())",
                """
                Runs fn when another version of the script has taken this one's place. Its timers and jobs are cancelled \
                then; fn may wait.
                """
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_reload")
                context.generation.onReload(try call.function(1, "fn"))
                return .none
            },
            ModuleFunction(
                "on_shutdown", "(fn: function())",
                "Runs fn when the program is about to end; fn may wait, as long as requests in flight may take."
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_shutdown")
                context.generation.onShutdown(try call.function(1, "fn"))
                return .none
            },
        ]
    }
}

/// The time between the end of a script's rule and its end.
@EngineActor
final class ScriptRetirement {
    /// Seconds; more than a request takes with the standard limits.
    static let limit = 180.0
    private unowned let context: ScriptContext
    private let epoch: RequestEpoch
    private var timer: EngineTimer?
    /// Called when the script can be closed.
    var onEnd: (@EngineActor () -> Void)?

    init(_ context: ScriptContext, _ epoch: RequestEpoch) {
        self.context = context
        self.epoch = epoch
        context.jobs.onEmpty = { [weak self] in self?.lookAgain() }
        epoch.onQuiet = { [weak self] in self?.lookAgain() }
        timer = context.engine.scheduler.after(Self.limit) { [weak self] in self?.end() }
        lookAgain()
    }

    var isOver: Bool {
        context.jobs.isEmpty && epoch.openRequests == 0 && !context.generation.isLeaving
    }

    /// Two turns later: what just ended may have begun something, and its frames are still there.
    func lookAgain() {
        let scheduler = context.engine.scheduler
        scheduler.nextTick { [weak self] in
            scheduler.nextTick { [weak self] in if let self, isOver { end() } }
        }
    }

    private func end() {
        guard timer != nil else { return }
        timer?.cancel()
        timer = nil
        epoch.onQuiet = nil
        if !isOver {
            context.options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "the script that a reload replaced still waits after \(Int(Self.limit)) s: it is ended"
                ))
        }
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?()
    }
}
