import CPlatform
import RestEngine
import RestScript

/// The script that runs, and those before it that still have something to finish (ARCHITECTURE.md, Four
/// walks).
///
/// A reload is one stretch of work on the engine loop: the new script is loaded beside the old, and takes
/// over or leaves no trace. So there is only ever one at a time, and what comes meanwhile comes after it.
@EngineActor
final class Generations {
    /// A reload that left everything as it was.
    struct Failure {
        /// With the script's lines as they were then.
        let report: FailureReport
        /// On the scheduler's uptime.
        let at: Double
        let trigger: ReloadTrigger

        var diagnostic: Diagnostic { report.diagnostic }
    }

    private(set) var current: ScriptHost
    private(set) var number = 1
    private(set) var trigger = ReloadTrigger.start
    /// On the scheduler's uptime.
    private(set) var loadedAt: Double
    /// Of the last reload of the whole script, if it failed.
    private var scriptFailure: Failure?
    /// Of the last reload of one transformer module, by its name.
    private var moduleFailures: [String: Failure] = [:]
    private var retired: [ScriptHost] = []
    private var isGivingBack = false
    /// What the script and its modules were read from.
    private var reached: ReachedFiles

    /// Of all generations.
    let engine: Engine
    private let makeOptions: @EngineActor () throws(Diagnostic) -> ScriptOptions
    private let store: ScriptStore

    /// The new script is good so far. Throws when something around it can't follow; else gives what makes it
    /// follow, in the same turn as the script takes over.
    var prepare: @EngineActor (ScriptHost) throws(Diagnostic) -> @EngineActor () -> Void = {
        (_) throws(Diagnostic) in {}
    }
    /// After each reload, good or bad.
    var onReload: @EngineActor () -> Void = {}
    /// There are other files to watch.
    var onFilesChange: @EngineActor () -> Void = {}

    convenience init(
        _ arguments: ScriptValues, log: LogText, traffic: Traffic? = nil, isOffline: Bool = false
    ) throws(Diagnostic) {
        let engine = traffic?.makeEngine() ?? HostEngine.make(log: log)
        engine.isOffline = isOffline
        engine.log.enabled = arguments.logCategories
        engine.remembersPipelines = true
        try self.init(path: arguments.config, engine: engine) { () throws(Diagnostic) in
            var options = try arguments.options(log: log)
            traffic?.apply(to: &options)
            return options
        }
    }

    /// Loads the first generation. Throws a ``Diagnostic``.
    ///
    /// - Parameter options: made anew for each generation, for settings may stand in a file.
    init(
        path: String, engine: Engine, options: @escaping @EngineActor () throws(Diagnostic) -> ScriptOptions
    ) throws(Diagnostic) {
        self.engine = engine
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

    /// Files whose change may change the script, in no order.
    var files: Set<String> {
        current.transformerModules.reduce(into: reached.paths.union(reached.modulePaths)) {
            $0.formUnion(current.files(ofModule: $1))
        }
    }

    /// What is not as its files say: the last reload of the script, or of a module, that left everything as
    /// it was.
    var lastFailure: Failure? { scriptFailure ?? moduleFailures.values.max { $0.at < $1.at } }

    /// Scripts that were replaced and still finish something.
    var retiredCount: Int { retired.count }

    /// Bytes in the Lua states of all of them.
    var memoryUsed: Int { (retired + [current]).reduce(0) { $0 + $1.memoryUsed } }

    /// CPU time of the functions of all there were.
    var luaSeconds: Double { secondsBefore.script + (retired + [current]).reduce(0) { $0 + $1.cpuSeconds } }

    /// Both of transformer modules, as far as their threads have said.
    var moduleUsage: (bytes: Int, cpuSeconds: Double) {
        let all = (retired + [current]).map(\.moduleUsage)
        return (all.reduce(0) { $0 + $1.bytes }, all.reduce(secondsBefore.modules) { $0 + $1.cpuSeconds })
    }

    /// What resources hold, and may hold.
    var contentBudget: ContentBudget { engine.contentBudget }

    /// What a reload came to.
    enum Outcome: Equatable {
        /// The script is another, with this number.
        case script(Int)
        /// These transformer modules are others; the script goes on.
        case modules([String])

        fileprivate var modules: [String] { if case .modules(let names) = self { names } else { [] } }
    }

    /// Loads the script anew; or no more than the transformer modules that changed, if nothing else did.
    func reload(_ trigger: ReloadTrigger) -> Result<Outcome, Diagnostic> {
        defer {
            onFilesChange()
            onReload()
        }
        let result: Result<Outcome, Diagnostic>
        if case .files(let changed) = trigger, let modules = modules(behind: changed) {
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

    /// The modules that changed files belong to; nil when the script reached one of them itself.
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

    private func reloadScript(_ trigger: ReloadTrigger) -> Result<Int, Diagnostic> {
        let attempt = ReachedFiles()
        let result: Result<Int, Diagnostic>
        do throws(Diagnostic) {
            let (new, follow) = try load(attempt)
            let old = current
            current = new
            follow()
            new.takeOver()
            keep(old)
            number += 1
            (self.trigger, loadedAt, reached) = (trigger, engine.scheduler.uptime, attempt)
            (scriptFailure, moduleFailures) = (nil, [:])
            result = .success(number)
        } catch {
            scriptFailure = .init(report: FailureReport(error), at: engine.scheduler.uptime, trigger: trigger)
            // The cure may lie in a file that only the failed attempt reached.
            reached.follow(attempt)
            result = .failure(error)
        }
        reached.onAddition = { [weak self] in self?.onFilesChange() }
        return result
    }

    /// Tells the script that the program ends, gives it so many seconds, and closes everything.
    func shutDown(within seconds: Double) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let once = Once { continuation.resume() }
            let timer = engine.scheduler.after(seconds) { once.run() }
            current.shutDown {
                timer.cancel()
                once.run()
            }
        }
        for host in retired + [current] { host.close() }
        retired = []
    }

    private func load(_ attempt: ReachedFiles) throws(Diagnostic) -> (ScriptHost, @EngineActor () -> Void) {
        var options = try makeOptions()
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

    /// It is closed as soon as nothing of it waits.
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

    /// What a Lua state had goes back to the system, a second later and once for all that end until then: it
    /// takes a millisecond or two.
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

    /// Of all generations: jobs and runs of timers that raised an error that nobody waited for.
    var failedJobs: Int { failedJobsBefore + (retired + [current]).reduce(0) { $0 + $1.failedJobs } }
}

/// Does something the first time it is asked.
@EngineActor
private final class Once {
    private var action: (@EngineActor () -> Void)?

    init(_ action: @escaping @EngineActor () -> Void) { self.action = action }

    func run() {
        action?()
        action = nil
    }
}

/// Why a script was loaded.
enum ReloadTrigger: Sendable, Equatable, CustomStringConvertible {
    case start
    /// Files that changed.
    case files([String])
    case signal
    /// `POST /-/reload`, and with it `resthost reload`.
    case request
    /// The `:reload` of a repl.
    case user

    var description: String {
        switch self {
        case .start: "at the start"
        case .files(let paths):
            switch paths.count {
            case 0: "a file changed"
            case 1: "\(paths[0]) changed"
            default: "\(paths[0]) and \(paths.count - 1) more changed"
            }
        case .signal: "at SIGHUP"
        case .request: "on request"
        case .user: "in the repl"
        }
    }
}
