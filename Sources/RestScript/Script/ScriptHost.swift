import LuaRuntime
import Platform
public import RestEngine

/// A loaded script: what it declared, and what it has running.
///
/// Loading is one path for every command: read, compile, run in the declare phase, validate.
@EngineActor
public final class ScriptHost {
    let context: ScriptContext
    public let path: String
    public private(set) var isClosed = false
    /// What closing left of the state, if it was the script's own.
    private(set) var leakReport: LeakReport?

    /// Loads the script at `path`. Throws a ``Diagnostic`` when it can't be read, compiled or run.
    public convenience init(
        path: String, engine: Engine, options: ScriptOptions = ScriptOptions()
    ) throws(Diagnostic) {
        options.onFileReached?(path)
        try self.init(source: try ScriptSource.read(path), path: path, engine: engine, options: options)
    }

    /// Loads a script from its text; `path` is what messages call it, and its folder is searched for modules.
    ///
    /// - Parameters:
    ///   - shared: the state of the test file that loads it.
    ///   - covered: of which files lines are counted, when the state counts any.
    ///   - predecessor: the running script whose place it is to take.
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
        context.declarations.finish(
            starting: options.collectsDiagnostics || !options.startsWork
                ? .never : predecessor != nil ? .later : shared == nil ? .now : .nextTick)
    }

    /// A host without a script, in which a test declares what it needs.
    init(emptyFor folder: String, engine: Engine, options: ScriptOptions, sharing shared: ScriptState?) {
        path = ""
        context = ScriptContext(
            engine: engine, options: options, folder: folder, sharing: shared)
        context.sandbox.isCovered = shared != nil
        context.declarations.finish(starting: .now)
    }

    /// For the counts of a test run.
    enum CoveredFiles {
        case none
        /// The script itself is no file.
        case modules
        case all
    }

    public var services: [Service] { context.services.all }

    public func service(named name: String) -> Service? { context.services[name]?.service }

    public var gateway: GatewayDeclaration? { context.declarations.gateway }

    /// Requests that its main file defines.
    public var operations: [ScriptOperation] { context.declarations.operations }

    /// What was found wrong; with ``ScriptOptions/collectsDiagnostics`` loading goes on after an error.
    public var diagnostics: [Diagnostic] { context.declarations.diagnostics }

    /// True while a job, a timer or a waiting hook of the script is alive, or a request is under way.
    public var hasWork: Bool {
        !context.jobs.isEmpty || context.declarations.hasStarts || context.engine.openRequests > 0
            || context.engine.openStreams > 0
    }

    /// The script started something, which may have ended.
    public var hasStartedWork: Bool { context.jobs.hasStarted }

    /// Where the functions of jobs that go on were written, `file:line`.
    public var runningJobs: [String] { context.jobs.places }

    /// Jobs and runs of timers that raised an error that nobody waited for.
    public var failedJobs: Int { context.jobs.failed }

    /// Called whenever the last of them has ended.
    public func onIdle(_ action: @escaping @EngineActor () -> Void) {
        context.jobs.onEmpty = action
        context.engine.onQuiet = action
    }

    /// Returns when what other threads do for the script's engine, its caches and stores above all, is done.
    /// False when something that the script keeps could not be written, which the log tells.
    @discardableResult
    public func offloadedWorkIsDone() async -> Bool {
        if context.engine.offloadedWork > 0 { await context.engine.offloadedWorkIsDone() }
        return await context.options.finishFiles?() ?? true
    }

    /// Jobs and timers that are alive.
    public var jobCount: Int { context.jobs.count }

    /// Requests of the engine that have started and not yet ended.
    public var openRequests: Int { context.engine.openRequests }

    public var memoryUsed: Int { context.state.memoryUsed }

    /// CPU time of its functions, without those of transformer modules; see ``LuaState/cpuSeconds``.
    public var cpuSeconds: Double { context.state.cpuSeconds }

    // MARK: Transformer modules

    /// Bytes in the states of modules, and CPU time of their functions, as of the last job of each thread.
    public var moduleUsage: (bytes: Int, cpuSeconds: Double) {
        let total = context.modules.usage.total
        return (total.bytes, total.seconds)
    }

    /// Why a module is not run any more; nil as long as all are.
    public var stalledModules: String? { context.modules.stall }

    /// Threads for transformer modules, at the most.
    public var transformerThreads: Int { context.options.usedTransformerThreads }

    /// Names of the modules that the script uses as transformers.
    public var transformerModules: [String] { context.modules.modules }

    /// The files of such a module: its own first, then what it requires. They stay known when a reload
    /// failed.
    public func files(ofModule name: String) -> [String] { context.modules.files(of: name) }

    /// Tells what a module's files held when it was loaded from what they held another time; nil for an
    /// unknown name.
    public func contentHash(ofModule name: String) -> String? { context.modules.contentHash(of: name) }

    /// Loads one module again, alone. Every state uses it from its next job on, what is at work finishes with
    /// the old. Data that the old one made is stale. Throws what is wrong with it; then the old one stays.
    public func reloadModule(_ name: String) throws(Diagnostic) {
        let before = contentHash(ofModule: name)
        try context.modules.reload(name)
        guard contentHash(ofModule: name) != before else { return }
        for service in services { service.transformersChanged() }
    }

    /// Memory is short: collects the script's garbage, then drops the resources that nobody holds or observes
    /// (rule 23.5). Returns how many.
    @discardableResult
    public func relieveMemory() -> Int {
        guard !isClosed else { return 0 }
        let before = services.reduce(0) { $0 + $1.liveResourceCount }
        context.services.collectAndFlush(services)
        return before - services.reduce(0) { $0 + $1.liveResourceCount }
    }

    /// Cancels what runs and frees the script. Returns false when something of it was still held.
    @discardableResult
    public func close() -> Bool {
        guard !isClosed else { return true }
        isClosed = true
        leakReport = context.close()
        return (leakReport?.hostObjects ?? 0) == 0
    }
}

/// Reads script files; what is no part of a chunk is left out.
enum ScriptSource {
    static let maxBytes = 16 << 20

    static func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        do throws(FileError) {
            return LuaFileText.chunk(try WholeFile.read(path, limit: maxBytes))
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
