import RestEngine
import RestScript

/// The script that runs, and those before it that still have something to finish (design, A reload).
///
/// A reload is one stretch of work on the engine loop: the new script is loaded beside the old, and takes over or leaves
/// no trace. So there is only ever one at a time, and what comes meanwhile comes after it.
@EngineActor
final class Generations {
    /// A reload that left everything as it was.
    struct Failure {
        let diagnostic: Diagnostic
        /// Unix time in seconds.
        let at: Double
        let trigger: ReloadTrigger
    }

    private(set) var current: ScriptHost
    private(set) var number = 1
    private(set) var trigger = ReloadTrigger.start
    /// Unix time in seconds.
    private(set) var loadedAt: Double
    /// Of the last reload, if it failed.
    private(set) var lastFailure: Failure?
    private var retired: [ScriptHost] = []
    /// What the script and its modules were read from.
    private var reached: ReachedFiles

    private let engine: Engine
    private let makeOptions: @EngineActor () throws(Diagnostic) -> ScriptOptions
    private let store: ScriptStore

    /// The new script is good so far: what else has to accept it. It throws what is wrong.
    var accept: @EngineActor (ScriptHost) throws(Diagnostic) -> Void = { (_) throws(Diagnostic) in }
    /// After each reload, good or bad.
    var onReload: @EngineActor () -> Void = {}
    /// There are other files to watch.
    var onFilesChange: @EngineActor () -> Void = {}

    convenience init(_ arguments: ScriptArguments, log: LogText) throws(Diagnostic) {
        let engine = HostEngine.make()
        engine.log.enabled = arguments.logCategories
        engine.remembersPipelines = true
        try self.init(path: arguments.config, engine: engine) { () throws(Diagnostic) in
            try arguments.options(log: log)
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
        current = try ScriptHost(path: path, engine: engine, options: first)
        loadedAt = engine.scheduler.now
        reached.onAddition = { [weak self] in self?.onFilesChange() }
    }

    /// Files whose change may change the script, in no order.
    var files: Set<String> { reached.paths }

    /// Scripts that were replaced and still finish something.
    var retiredCount: Int { retired.count }

    /// Loads the script anew. Gives the number of the generation that runs from now on.
    func reload(_ trigger: ReloadTrigger) -> Result<Int, Diagnostic> {
        let attempt = ReachedFiles()
        let result: Result<Int, Diagnostic>
        do throws(Diagnostic) {
            let new = try load(attempt)
            let old = current
            current = new
            new.takeOver()
            keep(old)
            number += 1
            (self.trigger, loadedAt, lastFailure, reached) = (trigger, engine.scheduler.now, nil, attempt)
            result = .success(number)
        } catch {
            lastFailure = Failure(diagnostic: error, at: engine.scheduler.now, trigger: trigger)
            // The cure may lie in a file that only the failed attempt reached.
            reached.add(attempt.paths)
            result = .failure(error)
        }
        reached.onAddition = { [weak self] in self?.onFilesChange() }
        onFilesChange()
        onReload()
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

    private func load(_ attempt: ReachedFiles) throws(Diagnostic) -> ScriptHost {
        var options = try makeOptions()
        options.store = store
        options.onFileReached = { attempt.add($0) }
        let new = try ScriptHost(replacing: current, path: current.path, options: options)
        do throws(Diagnostic) { try accept(new) } catch {
            new.giveUp()
            throw error
        }
        return new
    }

    /// It is closed as soon as nothing of it waits.
    private func keep(_ old: ScriptHost) {
        retired.append(old)
        old.whenRetirementEnds { [weak self, unowned old] in
            let ending = old
            self?.failedJobsBefore += ending.failedJobs
            self?.retired.removeAll { $0 === ending }
            ending.close()
        }
    }

    private var failedJobsBefore = 0

    /// Of all generations: jobs that raised an error that nobody waited for.
    var failedJobs: Int { failedJobsBefore + (retired + [current]).reduce(0) { $0 + $1.failedJobs } }
}

/// Why a script was loaded.
enum ReloadTrigger: Sendable, Equatable {
    case start
    /// Files that changed.
    case files([String])
    case signal
    /// `POST /-/reload`, and with it `resthost reload`.
    case request
    /// The `:reload` of a repl.
    case user
}

/// The files that one generation has been read from so far.
@EngineActor
final class ReachedFiles {
    private(set) var paths: Set<String> = []
    var onAddition: (@EngineActor () -> Void)?

    nonisolated init() {}

    func add(_ path: String) {
        if paths.insert(path).inserted { onAddition?() }
    }

    func add(_ more: Set<String>) { paths.formUnion(more) }
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
