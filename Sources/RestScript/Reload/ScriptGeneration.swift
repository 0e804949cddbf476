import LuaRuntime
import RestEngine

/// Reloads, for the program that embeds a script.
extension ScriptHost {
    /// Loads a script that will replace `other`. Services of the same name and base URL are the same objects
    /// and have their new definition at once. When the script has an error, it throws a ``Diagnostic`` and
    /// nothing has changed. The caller must call ``takeOver()`` or ``giveUp()`` in the same tick of the loop.
    ///
    /// - Parameters:
    ///   - options: The options, with the store of `other`.
    ///   - path: The file of the new script.
    ///   - other: The script that runs.
    public convenience init(
        replacing other: ScriptHost, path: String, options: ScriptOptions
    ) throws(Diagnostic) {
        options.onFileReached?(path)
        try self.init(
            source: try ScriptSource.read(path), path: path, engine: other.context.engine, options: options,
            replacing: other.context)
    }

    /// Replaces the other script. That script is notified (`rest.on_reload`), loses its observers, timers and
    /// jobs, and is closed when it waits for nothing. Then the jobs of this script begin.
    public func takeOver() { context.generation.replacePredecessor() }

    /// Undoes the load and closes this script.
    public func giveUp() {
        context.generation.rollBack()
        close()
    }

    /// True when another script has taken over. This one then only finishes what it began.
    public var isRetired: Bool { context.generation.isRetired }

    /// Calls `action` once, when a retired script can be closed.
    public func whenRetirementEnds(_ action: @escaping @EngineActor () -> Void) {
        context.generation.retirement?.onEnd = action
    }

    /// Runs the functions of `rest.on_shutdown`. `completion` is called when all have returned.
    public func shutDown(_ completion: @escaping @EngineActor () -> Void) {
        context.generation.shutDown(completion)
    }
}

/// The definition of a service before the new script declared it again.
private struct TakenService {
    let service: Service
    let before: Service.Definition
    let resourceCountLimit: Int
    let resourceBytesLimit: Int?
}

/// A script's place in a sequence of reloads: the script before it, whose services it takes over, and its own
/// end after the next reload.
@EngineActor
final class ScriptGeneration {
    /// The script that this one will replace; nil after it has.
    var predecessor: ScriptContext?
    /// The services of the predecessor that this script has declared again.
    private var taken: [TakenService] = []
    /// True when another script has replaced this one.
    private(set) var isRetired = false
    private(set) var retirement: ScriptRetirement?
    /// The number of step sequences on the way out that have not finished.
    private var leaving = 0
    /// True when the warning about late declarations was logged.
    private var hasEndReported = false
    private var reloadFunctions: [LuaReference] = []
    private var shutdownFunctions: [LuaReference] = []

    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    // MARK: Beginning

    /// The predecessor's service with this name and base, if there is one. Its resources stay.
    func takeOver(
        _ name: String, _ base: BaseURL?, _ standard: [StandardTransformer], _ settings: TransportOptions?
    ) -> Service? {
        guard let known = predecessor?.services[name], known.service.givenBaseURL == base else { return nil }
        let service = known.service
        // Equal settings keep their connections.
        let keeps = known.transport == settings
        let before = service.redefine(
            standardTransformers: standard,
            transport: keeps ? nil : context.services.transport(for: settings))
        taken.append(
            TakenService(
                service: service, before: before, resourceCountLimit: service.cachedResourceCountLimit,
                resourceBytesLimit: service.cachedResourceBytesLimit))
        return service
    }

    /// Restores everything as it was before this script began to load.
    func rollBack() {
        for taken in taken.reversed() {
            let service = taken.service
            let limits = context.services[service.name]?.limits ?? []
            service.restore(taken.before)
            if limits.contains(.count) { service.cachedResourceCountLimit = taken.resourceCountLimit }
            if limits.contains(.bytes) { service.cachedResourceBytesLimit = taken.resourceBytesLimit }
        }
        context.observers.stop(of: context.services.everyone)
        context.services.remove(taken.map(\.service))
        taken = []
        predecessor = nil
    }

    /// Makes this script the running one. Its jobs begin when the predecessor has been notified.
    func replacePredecessor() {
        for service in taken.map(\.service) {
            let limits = context.services[service.name]?.limits ?? []
            if !limits.contains(.count) {
                service.cachedResourceCountLimit = Service.standardResourceCountLimit
            }
            if !limits.contains(.bytes) { service.cachedResourceBytesLimit = nil }
            service.definitionIsComplete()
        }
        predecessor?.generation.retire(handingOver: taken.map(\.service))
        taken = []
        predecessor = nil
        context.sharedMemory.takeOver()
        context.declarations.begin()
    }

    // MARK: End

    var isLeaving: Bool { leaving > 0 }

    /// Runs `function` when another script has taken over, or at once when that has happened.
    func onReload(_ function: LuaReference) {
        if isRetired {
            context.runner.run(function, as: "a function of rest.on_reload") { _ in 0 }
        } else {
            reloadFunctions.append(function)
        }
    }

    func onShutdown(_ function: LuaReference) { shutdownFunctions.append(function) }

    func forgetFunctions() {
        reloadFunctions = []
        shutdownFunctions = []
    }

    /// Called when another script has taken over. Observers, jobs and timers end. Waiting hooks and requests
    /// that have started finish as usual.
    private func retire(handingOver taken: [Service]) {
        isRetired = true
        context.observers.stop(of: context.services.everyone)
        context.services.remove(taken)
        let functions = reloadFunctions
        reloadFunctions = []
        leave(functions.map { function in { [context] in context.generation.onReload(function) } }) {
            [context] in
            context.generation.leave(context.jobs.endingSteps)
        }
        retirement = ScriptRetirement(context, context.engine.epoch)
        context.engine.epoch = RequestEpoch()
        // Streams of the old epoch would never end, so they reconnect.
        context.engine.reconnectStreams()
    }

    /// Runs the steps in parts, because there may be many and each function has a time limit of its own.
    private func leave(
        _ steps: [@EngineActor () -> Void], then next: @escaping @EngineActor () -> Void = {}
    ) {
        var left = steps[...]
        leaving += 1
        context.engine.scheduler.inParts { [context] in
            if !context.isClosed, let step = left.popFirst() {
                step()
                return true
            }
            next()
            context.generation.leaving -= 1
            context.generation.retirement?.lookAgain()
            return false
        }
    }

    /// False for a script that was replaced: the new script has declared the service again, and a late
    /// setting of the old one would stay on it. All such calls get one warning.
    func hasSay(_ method: String, at place: @autoclosure () -> String?) -> Bool {
        guard isRetired || context.isClosed else { return true }
        if !hasEndReported {
            hasEndReported = true
            context.options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "'\(method)' has no effect: a reload has replaced this script, and the declarations of the new "
                        + "version count",
                    place: place()))
        }
        return false
    }

    /// Runs the functions of `rest.on_shutdown`. `completion` is called when all have returned.
    func shutDown(_ completion: @escaping @EngineActor () -> Void) {
        let functions = shutdownFunctions
        shutdownFunctions = []
        var left = functions.count
        guard left > 0, !context.isClosed else { return completion() }
        func run(_ function: LuaReference) {
            context.runner.run(function, arguments: { _ in 0 }) { [context] _, result in
                if case .failure(let error) = result {
                    context.runner.report(error, in: "a function of rest.on_shutdown")
                }
                left -= 1
                if left == 0 { completion() }
            }
        }
        leave(functions.map { function in { run(function) } })
    }
}
