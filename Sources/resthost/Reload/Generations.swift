import CPlatform
import Platform
import RestEngine
import RestScript

/// The running script, and earlier ones that have not finished (ARCHITECTURE.md, Four walks).
///
/// A reload is one piece of work on the engine loop: the new script is loaded beside the old one, and then
/// takes over or leaves no trace. So reloads never overlap.
@EngineActor
final class Generations {
    private(set) var current: ScriptHost
    private(set) var number: Int
    private(set) var trigger = ReloadTrigger.start
    /// The time on the scheduler's uptime.
    private(set) var loadedAt: Double
    /// The last reload of the whole script, if it failed.
    private var scriptFailure: Failure?
    /// The failed last reloads of single transformer modules, by name.
    private var moduleFailures: [String: Failure] = [:]
    private var retired: [ScriptHost] = []
    private var isGivingBack = false
    /// The files that the script and its modules were read from.
    private var reached: ReachedFiles

    /// The engine of all generations.
    let engine: Engine
    private let makeOptions: @EngineActor () throws(Diagnostic) -> ScriptOptions
    private let store: ScriptStore

    /// Called when the new script has loaded. It throws when its surroundings can't be changed accordingly.
    /// Otherwise it returns the change.
    var prepare: @EngineActor (ScriptHost) throws(Diagnostic) -> Surroundings = {
        (_) throws(Diagnostic) in .none
    }
    /// Called after each reload, successful or not.
    var onReload: @EngineActor () -> Void = {}
    /// Called when other files must be watched.
    var onFilesChange: @EngineActor () -> Void = {}

    /// A checked change of what is around a script, such as the addresses of its gateway. Exactly one of the
    /// functions is called, in the same tick.
    struct Surroundings {
        var change: @EngineActor () -> Void
        var discard: @EngineActor () -> Void

        static let none = Surroundings(change: {}, discard: {})
    }

    convenience init(
        _ arguments: ScriptValues, log: LogText, traffic: Traffic? = nil, isOffline: Bool = false,
        worker: WorkerNumber? = nil, number: Int = 1
    ) throws(Diagnostic) {
        let engine = traffic?.makeEngine() ?? HostEngine.make(log: log)
        engine.isOffline = isOffline
        engine.worker = worker
        engine.log.enabled = arguments.logCategories
        engine.remembersPipelines = true
        try self.init(path: arguments.config, engine: engine, number: number) { () throws(Diagnostic) in
            var options = try arguments.options(log: log)
            if let worker { options.divide(among: worker) }
            traffic?.apply(to: &options)
            return options
        }
    }

    /// Loads the first generation. Throws a ``Diagnostic``.
    ///
    /// - Parameter options: Made anew for each generation, because a settings file may change.
    init(
        path: String, engine: Engine, number: Int = 1,
        options: @escaping @EngineActor () throws(Diagnostic) -> ScriptOptions
    ) throws(Diagnostic) {
        (self.engine, self.number) = (engine, number)
        makeOptions = options
        reached = ReachedFiles()
        var first = try options()
        store = first.store
        let reached = reached
        first.onFileReached = { reached.add($0) }
        first.onModuleFileReached = { reached.addForModule($0) }
        reached.add(SettingsFile.path(beside: path))
        current = try ScriptHost(path: path, engine: engine, options: first)
        loadedAt = engine.scheduler.uptime
        reached.onAddition = { [weak self] in self?.onFilesChange() }
    }

    /// The files whose change may change the script.
    var files: Set<String> {
        current.transformerModules.reduce(into: reached.paths.union(reached.modulePaths)) {
            $0.formUnion(current.files(ofModule: $1))
        }
    }

    /// The last failed reload of the script or of a module, until its next success.
    var lastFailure: Failure? { scriptFailure ?? moduleFailures.values.max { $0.at < $1.at } }

    /// The number of replaced scripts that have not finished.
    var retiredCount: Int { retired.count }

    /// The bytes of the Lua states of all generations.
    var memoryUsed: Int { (retired + [current]).reduce(0) { $0 + $1.memoryUsed } }

    /// The CPU time of functions in all generations.
    var luaSeconds: Double { secondsBefore.script + (retired + [current]).reduce(0) { $0 + $1.cpuSeconds } }

    /// The same for transformer modules, as far as their threads have reported.
    var moduleUsage: (bytes: Int, cpuSeconds: Double) {
        let all = (retired + [current]).map(\.moduleUsage)
        return (all.reduce(0) { $0 + $1.bytes }, all.reduce(secondsBefore.modules) { $0 + $1.cpuSeconds })
    }

    /// The bytes of resources, and their limit.
    var contentBudget: ContentBudget { engine.contentBudget }

    /// The outcome of a reload.
    enum Outcome: Equatable {
        /// The script was replaced. The number is its generation.
        case script(Int)
        /// These transformer modules were replaced; the script stays.
        case modules([String])

        fileprivate var modules: [String] { if case .modules(let names) = self { names } else { [] } }
    }

    /// Reloads the script, or only the transformer modules if no other file has changed.
    ///
    /// - Parameter wholeScript: True to reload the script in any case.
    func reload(_ trigger: ReloadTrigger, wholeScript: Bool = false) -> Result<Outcome, Diagnostic> {
        defer {
            onFilesChange()
            onReload()
        }
        let result: Result<Outcome, Diagnostic>
        if !wholeScript, case .files(let changed) = trigger, let modules = modules(behind: changed) {
            result = reload(modules, trigger)
        } else {
            result = reloadScript(trigger).map { .script($0) }
        }
        notify(result, trigger)
        return result
    }

    private func notify(_ result: Result<Outcome, Diagnostic>, _ trigger: ReloadTrigger) {
        guard engine.hasListeners(of: .reload) else { return }
        let reload =
            switch result {
            case .success(let outcome):
                EngineEvent.Reload(trigger: "\(trigger)", generation: number, modules: outcome.modules)
            case .failure(let diagnostic):
                EngineEvent.Reload(
                    trigger: "\(trigger)", generation: number,
                    failure: DiagnosticText(style: .plain).headline(diagnostic))
            }
        engine.notify(.reload, EngineEvent(time: engine.scheduler.now, .reload(reload)))
    }

    /// The modules that the changed files belong to; nil when one of the files belongs to the script itself.
    private func modules(behind changed: [String]) -> [String]? {
        guard scriptFailure == nil, reached.paths.isDisjoint(with: changed) else { return nil }
        let modules = current.transformerModules.filter { name in
            current.files(ofModule: name).contains { changed.contains($0) }
        }
        return modules.isEmpty ? nil : modules
    }

    private func reload(_ modules: [String], _ trigger: ReloadTrigger) -> Result<Outcome, Diagnostic> {
        var first: Diagnostic?
        for module in modules {
            do throws(Diagnostic) {
                try current.reloadModule(module)
                moduleFailures[module] = nil
            } catch {
                moduleFailures[module] = Failure(
                    report: FailureReport(error), at: engine.scheduler.uptime, trigger: trigger)
                first = first ?? error
            }
        }
        return first.map { .failure($0) } ?? .success(.modules(modules))
    }

    /// Loads the script and gives it up again. Returns the failure; nil if a reload would succeed.
    func tryLoad() -> Diagnostic? {
        let attempt = ReachedFiles()
        do throws(Diagnostic) {
            let (new, surroundings) = try load(attempt, isTrial: true)
            surroundings.discard()
            new.giveUp()
            return nil
        } catch {
            reached.follow(attempt)
            return error
        }
    }

    /// Notes a reload that failed in another process.
    func note(_ report: FailureReport, _ trigger: ReloadTrigger) {
        scriptFailure = .init(report: report, at: engine.scheduler.uptime, trigger: trigger)
        notify(.failure(report.diagnostic), trigger)
        onFilesChange()
        onReload()
    }

    private func reloadScript(_ trigger: ReloadTrigger) -> Result<Int, Diagnostic> {
        let attempt = ReachedFiles()
        let result: Result<Int, Diagnostic>
        do throws(Diagnostic) {
            let (new, follow) = try load(attempt)
            let old = current
            current = new
            follow.change()
            new.takeOver()
            keep(old)
            number += 1
            (self.trigger, loadedAt, reached) = (trigger, engine.scheduler.uptime, attempt)
            (scriptFailure, moduleFailures) = (nil, [:])
            result = .success(number)
        } catch {
            scriptFailure = .init(report: FailureReport(error), at: engine.scheduler.uptime, trigger: trigger)
            // The fix may be in a file that only the failed attempt has read.
            reached.follow(attempt)
            result = .failure(error)
        }
        reached.onAddition = { [weak self] in self?.onFilesChange() }
        return result
    }

    /// The number of jobs and runs of timers that would lose a request if all scripts ended now.
    var busyJobs: Int { (retired + [current]).reduce(0) { $0 + $1.busyJobCount } }

    /// Notifies the script that the program ends, waits at most so many seconds, and closes everything.
    ///
    /// - Returns: The number of jobs that it cut off.
    @discardableResult
    func shutDown(within seconds: Double) async -> Int {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let once = Once { continuation.resume() }
            let timer = engine.scheduler.after(seconds) { once.run() }
            current.shutDown {
                timer.cancel()
                once.run()
            }
        }
        let cut = busyJobs
        for host in retired + [current] { host.close() }
        retired = []
        return cut
    }

    /// - Parameter isTrial: The script writes nothing, because it will be loaded again.
    private func load(
        _ attempt: ReachedFiles, isTrial: Bool = false
    ) throws(Diagnostic) -> (ScriptHost, Surroundings) {
        var options = try makeOptions()
        if isTrial { options.log = { _ in } }
        options.store = store
        options.onFileReached = { attempt.add($0) }
        options.onModuleFileReached = { attempt.addForModule($0) }
        attempt.add(SettingsFile.path(beside: current.path))
        let new = try ScriptHost(replacing: current, path: current.path, options: options)
        do throws(Diagnostic) { return (new, try prepare(new)) } catch {
            new.giveUp()
            throw error
        }
    }

    /// Keeps a replaced script, and closes it as soon as its work has ended.
    private func keep(_ old: ScriptHost) {
        retired.append(old)
        old.whenRetirementEnds { [weak self, unowned old] in
            let ending = old
            self?.failedJobsBefore += ending.failedJobs
            self?.secondsBefore.script += ending.cpuSeconds
            self?.secondsBefore.modules += ending.moduleUsage.cpuSeconds
            self?.retired.removeAll { $0 === ending }
            ending.close()
            self?.giveMemoryBack()
        }
    }

    /// Returns the memory of closed Lua states to the system. It waits a second to do it once for several,
    /// because it takes a millisecond or two.
    private func giveMemoryBack() {
        guard !isGivingBack else { return }
        isGivingBack = true
        engine.scheduler.after(1) { [weak self] in
            self?.isGivingBack = false
            cplatform_give_back_freed_memory()
        }
    }

    private var failedJobsBefore = 0
    private var secondsBefore = (script: 0.0, modules: 0.0)

    /// The number of jobs and timer runs, in all generations, that raised an error for which no function
    /// waited.
    var failedJobs: Int { failedJobsBefore + (retired + [current]).reduce(0) { $0 + $1.failedJobs } }
}
