import LuaRuntime
import Platform
import RestEngine

/// `rest.on_event` (rules 46).
struct EventBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "on_event", "(kinds: string[], fn: function(event)) -> listener",
                    """
                    Calls fn with each engine event of these kinds, one after the other: request, attempt, response, cache, \
                    breaker, limit, reload, state. At most 1,024 events wait for fn; then the oldest are dropped, and \
                    `event.dropped` has their number.
                    """
                ) { call in
                    try context.runner.requireUnclosed(for: "rest.on_event")
                    let listener = ScriptListener(context, try kinds(call), try call.function(2, "fn"))
                    try context.observers.keep(listener)
                    begin(listener)
                    values.push(listener, on: call.lua)
                    return .one
                }
            ], classes: [show(ScriptListener.self, as: makeListenerClass)])
    }

    /// Subscribes at once, so that the listener gets events from the script's load. A script that replaces
    /// another and can still fail subscribes when it takes over.
    private func begin(_ listener: ScriptListener) {
        guard options.startsWork, !options.collectsDiagnostics else { return }
        if context.generation.predecessor == nil { return listener.begin() }
        context.declarations.whenLoaded { listener.begin() }
    }

    private func kinds(_ call: Arguments) throws -> Set<EngineEvent.Kind> {
        let names = try call.lua.strings(try call.table(1, "kinds"), "kinds")
        let known = EngineEvent.Kind.allCases.map(\.rawValue)
        guard !names.isEmpty else {
            throw call.bad(1, "kinds", "name at least one: \(known.joined(separator: ", "))")
        }
        return Set(
            try names.map { name in
                guard let kind = EngineEvent.Kind(rawValue: name) else {
                    throw LuaUsageError(
                        "unknown kind of event '\(name)'" + NearestName.advice(name, among: known)
                            + "; there are \(known.joined(separator: ", "))")
                }
                return kind
            })
    }

    func makeListenerClass() -> LuaClass {
        LuaClass(
            "listener", documentation: "A function that gets events; made by rest.on_event.",
            methods: [
                method("cancel", "()", "Stops the calls; waiting events are dropped.") {
                    call in
                    try call.receiver(as: ScriptListener.self).cancel()
                    return .none
                }
            ])
    }
}

/// A function of a script that gets events: one call at a time, in later ticks, until its script is replaced
/// or closed (46.8).
@EngineActor
final class ScriptListener: LuaObject {
    private unowned let context: ScriptContext
    private let kinds: Set<EngineEvent.Kind>
    /// Nil after the end, because the function may hold the listener to cancel it.
    private var function: LuaReference?
    private let place: String?
    private var subscription: EventSubscription?
    private var queue = EventQueue()
    /// A call is waiting, or the next one is scheduled.
    private var isBusy = false
    private var hasWarned = false

    nonisolated var keptBytes: Int { 512 }

    init(_ context: ScriptContext, _ kinds: Set<EngineEvent.Kind>, _ function: LuaReference) {
        self.context = context
        self.kinds = kinds
        self.function = function
        let lua = context.state.main
        lua.push(function)
        defer { lua.pop() }
        place = lua.definition(ofFunction: -1).map { "\($0.file):\($0.line)" }
    }

    /// Subscribes, unless the script was replaced.
    func begin() {
        guard function != nil, subscription == nil, !context.generation.isRetired else { return }
        subscription = context.engine.onEvent(kinds) { [weak self] event in self?.take(event) }
    }

    func cancel() {
        subscription?.cancel()
        subscription = nil
        function = nil
        queue = EventQueue()
        context.observers.forget(self)
    }

    private func take(_ event: EngineEvent) {
        queue.add(event)
        plan()
    }

    private func plan() {
        guard !isBusy, !queue.isEmpty else { return }
        isBusy = true
        WorkScope.outside { context.engine.scheduler.nextTick { [weak self] in self?.deliver() } }
    }

    /// Delivers the events of this moment, until they have taken long. Events that the function itself causes
    /// follow in a later tick.
    private func deliver() {
        isBusy = false
        for _ in 0..<queue.count {
            guard !isBusy, let function, !context.isClosed, !context.runner.isLate,
                let event = queue.next()
            else { break }
            if event.dropped > 0 { warn(event.dropped) }
            isBusy = true
            context.runner.run(
                function,
                arguments: { lua in
                    context.values.trees.push(event.tree, on: lua)
                    return 1
                }
            ) { [weak self, context] _, result in
                if case .failure(let error) = result {
                    context.runner.report(error, in: "a listener of rest.on_event")
                }
                self?.ended()
            }
        }
        plan()
    }

    /// The call has ended, at once or after a wait.
    private func ended() {
        isBusy = false
        plan()
    }

    /// Warns once. Each event carries the number of dropped ones.
    private func warn(_ count: Int) {
        guard !hasWarned else { return }
        hasWarned = true
        context.options.log(
            ScriptLogEntry(
                level: .warn,
                text:
                    "a listener of rest.on_event is slower than its events: \(count) events were dropped, and "
                    + "'event.dropped' will count further ones", place: place))
    }
}
