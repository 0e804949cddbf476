import LuaRuntime
import Platform
public import RestEngine

/// A loaded script: its declarations and its running work.
///
/// All commands load a script in the same way: read, compile, run in the declare phase, validate.
@EngineActor
public final class ScriptHost {
    let context: ScriptContext
    public let path: String
    public private(set) var isClosed = false
    /// The report of objects left after closing, if the state was the script's own.
    private(set) var leakReport: LeakReport?

    /// Loads the script at `path`. Throws a ``Diagnostic`` when it can't be read, compiled or run.
    public convenience init(
        path: String, engine: Engine, options: ScriptOptions = ScriptOptions()
    ) throws(Diagnostic) {
        options.onFileReached?(path)
        try self.init(source: try ScriptSource.read(path), path: path, engine: engine, options: options)
    }

    /// Loads a script from its text. `path` is its name in messages, and its folder is searched for modules.
    ///
    /// - Parameters:
    ///   - shared: The state of the test file that loads it.
    ///   - covered: The files whose lines are counted, if the state counts lines.
    ///   - predecessor: The running script that it will replace.
    init(
        source: [UInt8], path: String, engine: Engine, options: ScriptOptions,
        sharing shared: ScriptState? = nil, covered: CoveredFiles = .none,
        replacing predecessor: ScriptContext? = nil
    ) throws(Diagnostic) {
        self.path = path
        if let limit = options.contentMemoryLimit { engine.contentBudget.limit = limit }
        context = ScriptContext(
            engine: engine, options: options, folder: ScriptSource.folder(of: path), sharing: shared,
            replacing: predecessor)
        do throws(LuaError) {
            context.sandbox.isCovered = covered == .all
            let chunk = try context.sandbox.compile(source, chunk: path)
            context.sandbox.isCovered = covered != .none
            let lua = context.state.main
            lua.push(chunk)
            try lua.call(arguments: 0, results: 0, phase: context.phases.load)
            do throws(LuaError) { try context.sandbox.freezeGlobals() } catch {
                throw LuaError(kind: error.kind, message: error.message, file: path, exceeded: error.exceeded)
            }
        } catch {
            let diagnostic = ScriptFailures.diagnostic(of: error, in: context.state)
            context.declarations.diagnostics.append(diagnostic)
            guard options.collectsDiagnostics else {
                context.generation.rollBack()
                context.close()
                throw diagnostic
            }
        }
        // A test sets what its script needs, and a check reads all files.
        if shared == nil, !options.collectsDiagnostics,
            let missing = context.missingVariable(source, path: path)
        {
            context.generation.rollBack()
            context.close()
            throw missing
        }
        if predecessor == nil, !options.collectsDiagnostics { context.sharedMemory.takeOver() }
        context.declarations.finish(
            starting: options.collectsDiagnostics || !options.startsWork
                ? .never : predecessor != nil ? .later : shared == nil ? .now : .nextTick)
    }

    /// A host without a script. A test declares what it needs.
    init(emptyFor folder: String, engine: Engine, options: ScriptOptions, sharing shared: ScriptState?) {
        path = ""
        context = ScriptContext(
            engine: engine, options: options, folder: folder, sharing: shared)
        context.sandbox.isCovered = shared != nil
        context.declarations.finish(starting: .now)
    }

    /// The files whose lines a test run counts.
    enum CoveredFiles {
        case none
        /// The script's own text does not come from a file.
        case modules
        case all
    }

    /// The engine that runs the requests of its services.
    package var engine: Engine { context.engine }

    /// The services that the script has declared, apart from internal ones.
    public var services: [Service] { context.services.shown }

    /// All of them, for operators.
    package var allServices: [Service] { context.services.all }

    public func service(named name: String) -> Service? { context.services[name]?.service }

    public var gateway: GatewayDeclaration? { context.declarations.gateway }

    /// The requests that its main file defines.
    public var operations: [ScriptOperation] { context.declarations.operations }

    /// The errors found so far. With ``ScriptOptions/collectsDiagnostics``, loading goes on after an error.
    public var diagnostics: [Diagnostic] { context.declarations.diagnostics }

    /// True while the script has a job, a timer or a waiting hook, or a request is in progress.
    public var hasWork: Bool {
        !context.jobs.isEmpty || context.declarations.hasStarts || context.engine.openRequests > 0
            || context.engine.openStreams > 0
    }

    /// True when the script has started something, even if it has ended.
    public var hasStartedWork: Bool { context.jobs.hasStarted }

    /// The places of the functions of running jobs, `file:line`.
    public var runningJobs: [String] { context.jobs.places }

    /// The number of jobs and timer runs that raised an error for which no function waited.
    public var failedJobs: Int { context.jobs.failed }

    /// Called whenever the last job or the last request has ended.
    public func onIdle(_ action: @escaping @EngineActor () -> Void) {
        context.jobs.onEmpty = action
        context.engine.onQuiet = action
    }

    /// Returns when other threads have finished their work for the script's engine, mainly for caches and
    /// stores. False when some of it could not be written; the log has the error.
    @discardableResult
    public func offloadedWorkIsDone() async -> Bool {
        if context.engine.offloadedWork > 0 { await context.engine.offloadedWorkIsDone() }
        return await context.options.finishFiles?() ?? true
    }

    /// The number of running jobs and timers.
    public var jobCount: Int { context.jobs.count }

    /// The number of jobs and runs of timers that would lose a request if the script ended now.
    public var busyJobCount: Int { context.jobs.busyCount }

    /// The engine's requests that have started and not ended.
    public var openRequests: Int { context.engine.openRequests }

    public var memoryUsed: Int { context.state.memoryUsed }

    /// The CPU time of its functions, without transformer modules; see `LuaState.cpuSeconds`.
    public var cpuSeconds: Double { context.state.cpuSeconds }

    // MARK: Transformer modules

    /// Bytes in the states of modules, and CPU time of their functions, as of the last job of each thread.
    public var moduleUsage: (bytes: Int, cpuSeconds: Double) {
        let total = context.modules.usage.total
        return (total.bytes, total.seconds)
    }

    /// The reason why a module is no longer run; nil while all are.
    public var stalledModules: String? { context.modules.stall }

    /// The most threads for transformer modules.
    public var transformerThreads: Int { context.options.usedTransformerThreads }

    /// Names of the modules that the script uses as transformers.
    public var transformerModules: [String] { context.modules.modules }

    /// The files of such a module, its own first. They stay known after a failed reload.
    public func files(ofModule name: String) -> [String] { context.modules.files(of: name) }

    /// The hash of a module's files at the time of the load; nil for an unknown name.
    public func contentHash(ofModule name: String) -> String? { context.modules.contentHash(of: name) }

    /// Loads one module again. Each state uses it from its next job on; running jobs finish with the old one.
    /// Data that the old one made is stale. When it throws an error, the old one stays.
    public func reloadModule(_ name: String) throws(Diagnostic) {
        let before = contentHash(ofModule: name)
        try context.modules.reload(name)
        guard contentHash(ofModule: name) != before else { return }
        for service in services { service.transformersChanged() }
    }

    /// Frees memory: collects the script's garbage, then drops the resources without holders and observers
    /// (rule 23.5). Returns their number.
    @discardableResult
    public func relieveMemory() -> Int {
        guard !isClosed else { return 0 }
        let before = services.reduce(0) { $0 + $1.liveResourceCount }
        context.services.collectAndFlush(services)
        return before - services.reduce(0) { $0 + $1.liveResourceCount }
    }

    /// Cancels the running work and frees the script. Returns false when something of it was still held.
    @discardableResult
    public func close() -> Bool {
        guard !isClosed else { return true }
        isClosed = true
        leakReport = context.close()
        return (leakReport?.hostObjects ?? 0) == 0
    }
}

/// Reads script files, without the parts that are not Lua, such as a first line with `#!`.
enum ScriptSource {
    static let maxBytes = 16 << 20

    static func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        do throws(FileError) {
            return LuaFileText.chunk(try SourceSnapshot.read(path, limit: maxBytes))
        } catch {
            throw Diagnostic(
                .error, code: "unreadable", "cannot read the script: \(error.reason)", file: path,
                hint: hint(for: error.code))
        }
    }

    private static func hint(for code: Int32) -> String? {
        switch code {
        case ENOENT: "check the path; it is relative to the current folder"
        case EISDIR: "this is a folder: name the script in it"
        default: nil
        }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
