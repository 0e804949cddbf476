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
                Runs fn when another version of the script has replaced this one. Timers and jobs of this one are cancelled \
                then; fn may wait.
                """
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_reload")
                context.generation.onReload(try call.function(1, "fn"))
                return .none
            },
            ModuleFunction(
                "on_shutdown", "(fn: function())",
                "Runs fn before the program ends; fn may wait for as long as requests in flight may take."
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_shutdown")
                context.generation.onShutdown(try call.function(1, "fn"))
                return .none
            },
        ]
    }
}

/// The time between the replacement of a script and its end.
@EngineActor
final class ScriptRetirement {
    /// The limit in seconds. A request takes less with the default limits.
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

    /// The check runs two ticks later: work that has just ended may have begun other work, and its frames are
    /// still on the stack.
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
