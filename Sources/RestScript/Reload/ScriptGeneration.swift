import LuaRuntime
import RestEngine

/// A reload, as the program that embeds a script asks for it.
extension ScriptHost {
    /// Loads a script that is to take the place of `other`: services of the same name and base URL are the
    /// same objects, declared anew, and have their new definition already. Throws a ``Diagnostic``, with
    /// everything as it was, when the script is no good. What follows, in the same turn of the loop, is
    /// ``takeOver()`` or ``giveUp()``.
    ///
    /// - Parameter options: with the store of the other's.
    public convenience init(
        replacing other: ScriptHost, path: String, options: ScriptOptions
    ) throws(Diagnostic) {
        options.onFileReached?(path)
        try self.init(
            source: try ScriptSource.read(path), path: path, engine: other.context.engine, options: options,
            replacing: other.context)
    }

    /// The other script hears of it (`rest.on_reload`), loses its observers, timers and jobs, and is closed
    /// when nothing of it waits any more; this one's jobs begin.
    public func takeOver() { context.generation.replacePredecessor() }

    /// This script is not to run after all: everything is as it was, and it is closed.
    public func giveUp() {
        context.generation.rollBack()
        close()
    }

    /// Another has taken over, and this one waits for what it began.
    public var isRetired: Bool { context.generation.isRetired }

    /// Calls `action` once, when a retired script can be closed.
    public func whenRetirementEnds(_ action: @escaping @EngineActor () -> Void) {
        context.generation.retirement?.onEnd = action
    }

    /// Runs the functions of `rest.on_shutdown`; `completion` comes when all have returned.
    public func shutDown(_ completion: @escaping @EngineActor () -> Void) {
        context.generation.shutDown(completion)
    }
}

/// What a service was before the script that is being loaded declared it anew.
private struct TakenService {
    let service: Service
    let before: Service.Definition
    let resourceCountLimit: Int
    let resourceBytesLimit: Int?
}

/// A script's place in a row of reloads: the script before it, whose services it takes over, and what becomes
/// of it when the next one has come.
@EngineActor
final class ScriptGeneration {
    /// The script whose place this one is to take; nil once it has.
    var predecessor: ScriptContext?
    /// What it declared anew of the services that were there.
    private var taken: [TakenService] = []
    /// Another script has taken its place.
    private(set) var isRetired = false
    private(set) var retirement: ScriptRetirement?
    /// Rows of steps on its way out that are not done.
    private var leaving = 0
    /// Its late declarations were warned of.
    private var hasEndReported = false
    private var reloadFunctions: [LuaReference] = []
    private var shutdownFunctions: [LuaReference] = []

    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    // MARK: Its beginning

    /// The service of the script before that has this name and base, if there is one: its resources stay.
    func takeOver(
        _ name: String, _ base: BaseURL?, _ standard: [StandardTransformer], _ settings: TransportOptions?
    ) -> Service? {
        guard let known = predecessor?.services[name], known.service.baseURL == base else { return nil }
        let service = known.service
        // The same settings: the same connections.
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

    /// Everything is as it was before this script began to load.
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

    /// This script is the one that runs from now on. Its jobs begin when the other has heard of it.
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
        context.declarations.begin()
    }

    // MARK: Its end

    var isLeaving: Bool { leaving > 0 }

    /// Runs `function` when another script has taken over; at once, if that has happened.
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

    /// Another script has taken over: no more observers, jobs or timers. What waits in a hook, and requests
    /// that have started, finish as they would have.
    private func retire(handingOver taken: [Service]) {
        isRetired = true
        context.observers.stop(of: context.services.everyone)
        context.services.remove(taken)
        let functions = reloadFunctions
        reloadFunctions = []
        leave(functions.map { function in { [context] in context.generation.onReload(function) } }) {
            [context] in
            let jobs = context.jobs.detached
            context.generation.leave(jobs.map { job in { job.cancel() } })
        }
        retirement = ScriptRetirement(context, context.engine.epoch)
        context.engine.epoch = RequestEpoch()
        // Those of the old epoch would never end.
        context.engine.reconnectStreams()
    }

    /// A script may do much on its way out, and each of its functions has its time.
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

    /// False for a script that was replaced: what it said now of a service would stay there without it, for
    /// the script that took over has declared the service anew. One warning for all of it.
    func hasSay(_ method: String, at place: @autoclosure () -> String?) -> Bool {
        guard isRetired || context.isClosed else { return true }
        if !hasEndReported {
            hasEndReported = true
            context.options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "'\(method)' has no effect: a reload has put another version in this script's place, whose "
                        + "declarations count",
                    place: place()))
        }
        return false
    }

    /// Runs the functions of `rest.on_shutdown`; `completion` comes when all have returned.
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
