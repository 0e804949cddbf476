import LuaRuntime
import RestEngine

/// The transformer modules of one script: their versions, the threads on which they run, and the jobs that
/// wait for them.
///
/// Completions stay here, on the engine loop; threads get only values.
/// Completions stay here, on the engine loop; threads get values alone.
@EngineActor
final class ModulePool: TransformerExecutor {
    private struct Waiting {
        let job: OffloadedJob
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    nonisolated let catalog = ModuleCatalog()
    /// Made when the first module is declared, with the permissions of that moment.
    private lazy var settings = ModuleSettings(context)
    private unowned let context: ScriptContext
    private let onFileReached: (@EngineActor (String) -> Void)?
    private let threads: Int
    /// The most jobs that may wait.
    private let limit: Int
    private var waiting: [UInt64: Waiting] = [:]
    private var loads = 0
    /// The files of modules whose last load failed.
    private var brokenFiles: [String: ModuleFiles] = [:]
    private var isClosed = false
    private let lost: LostThreads
    private let hung: HungModules
    /// The usage of the states of all its threads.
    let usage = ModuleUsage()
    /// Nil before the first job.
    private var pool: LuaPool<ModuleState>?

    init(_ context: ScriptContext) {
        self.context = context
        onFileReached = context.options.onModuleFileReached
        lost = context.options.lostThreads
        hung = HungModules(lost)
        threads = context.options.usedTransformerThreads
        limit = context.options.transformerQueueLimit
    }

    // MARK: Jobs

    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64 {
        let refusal = refusal(of: job)
        guard !isClosed, refusal == nil, let id = threadsForWork().submit(.transform(job, catalog.versions))
        else {
            let cause = isClosed ? ScriptContext.closed.cause : refusal ?? queueFull
            EngineLoop.shared.submit { completion(job.failed(with: cause)) }
            return 0
        }
        waiting[id] = Waiting(job: job, completion: completion)
        return id
    }

    func cancel(_ id: UInt64) {
        guard let pool, pool.cancel(id), let job = waiting.removeValue(forKey: id) else { return }
        job.completion(job.job.failed(with: .requestCancelled))
    }

    private func threadsForWork() -> LuaPool<ModuleState> {
        if let pool { return pool }
        let (settings, hung, usage) = (settings, hung, usage)
        let new = LuaPool<ModuleState>(name: "transformer", threads: threads, limit: limit, lost: lost) {
            ModuleState(settings, hung: hung, usage: usage, onHang: $0)
        } onLoss: { job in
            if case .transform(let job, _) = job { hung.insert(job.modules) }
        } listener: { [weak self] id, result in
            EngineLoop.shared.submit { self?.receive(result, id) }
        }
        pool = new
        return new
    }

    private func receive(_ result: Result<ModuleState.Answer, LuaHang>, _ id: UInt64) {
        guard let known = waiting.removeValue(forKey: id) else { return }
        switch result {
        case .success(.outcome(let outcome)): known.completion(outcome)
        // Loads run on threads of their own.
        case .success(.loaded): break
        case .success(.refused):
            known.completion(known.job.failed(with: refusal(of: known.job) ?? Self.lateRefusal))
        case .failure(let hang):
            let failure = Self.failure(hang, known.job)
            settings.log(ScriptLogEntry(level: .error, text: failure.message))
            defer { refuseWaiting() }
            known.completion(
                known.job.failed(
                    with: .scriptLimit(
                        budget: "time", used: hang.seconds, limit: hang.limit, failure: failure)))
        }
    }

    private static func failure(_ hang: LuaHang, _ job: OffloadedJob) -> RequestError.ScriptFailure {
        let names = job.modules.map { "'\($0)'" }.joined(separator: ", ")
        let seconds = (hang.seconds * 10).rounded() / 10
        return RequestError.ScriptFailure(
            message: "the \(hang.phase) of module \(names) hangs in a function that no limit can end: "
                + "it was given up after \(seconds) s, with its Lua state; a new one takes its place")
    }

    // MARK: Too many that hang

    /// The cause of failure for a job that was refused just before its module was repaired or its threads
    /// returned.
    private static let lateRefusal = RequestError.Cause.scriptError(
        RequestError.ScriptFailure(message: "a module of this response hung, and was not run; ask again"))

    /// The cause of failure for jobs of a module that is no longer run. Nil as long as hung threads are
    /// replaced.
    private func refusal(of job: OffloadedJob) -> RequestError.Cause? {
        guard lost.isFull else { return nil }
        let modules = hung.refused(of: job)
        guard !modules.isEmpty || pool?.isStuck ?? false else { return nil }
        return .scriptError(
            RequestError.ScriptFailure(message: stallText(modules.isEmpty ? hung.names : modules)))
    }

    private func stallText(_ modules: [String]) -> String {
        let names = modules.map { "'\($0)'" }.joined(separator: ", ")
        return
            "the module\(modules.count == 1 ? "" : "s") \(names) \(modules.count == 1 ? "is" : "are") not run any more: "
            + "\(lost.count) threads hang in functions that no limit can end; repair it, and restart the host to end them"
    }

    /// A warning for operators; nil when everything runs.
    var stall: String? {
        let names = hung.names
        return lost.isFull && (!names.isEmpty || pool?.isStuck ?? false) ? stallText(names) : nil
    }

    /// Fails the waiting jobs of a module that is no longer run, as new jobs fail.
    private func refuseWaiting() {
        guard lost.isFull else { return }
        for (id, known) in waiting.sorted(by: { $0.key < $1.key }) {
            guard let cause = refusal(of: known.job), let pool, pool.cancel(id) else { continue }
            waiting[id] = nil
            known.completion(known.job.failed(with: cause))
        }
    }

    private var queueFull: RequestError.Cause {
        .transport(
            TransportError(
                .queueFull, message: "\(limit) responses wait for a transformer module already"))
    }

    // MARK: Modules

    /// Loads a module unless it is loaded, to see that it can be used. Throws the error of the module.
    func declare(_ name: String) throws(LuaError) -> ModuleVersion {
        if let known = catalog[name] { return known }
        return try load(name)
    }

    /// Replaces a module by the one that its files now contain. Running jobs finish with the old one, and the
    /// other modules stay. When it throws an error, nothing has changed.
    func reload(_ name: String) throws(Diagnostic) {
        do throws(LuaError) { _ = try load(name) } catch { throw Self.diagnostic(of: error, name) }
    }

    private func load(_ name: String) throws(LuaError) -> ModuleVersion {
        loads += 1
        let files = ModuleFiles(onFileReached: settings.fileReached)
        // These paths are reported at once: after a failed load, the script may end before the other report
        // arrives.
        defer { for path in files.paths { onFileReached?(path) } }
        do throws(LuaError) {
            let rules = try ModuleLoading.rules(of: name, files, settings)
            let version = ModuleVersion(
                name: name, number: loads, path: files.file(name)?.path ?? name, rules: rules, files: files)
            catalog[name] = version
            hung.remove(name)
            brokenFiles[name] = nil
            return version
        } catch {
            brokenFiles[name] = files
            throw error
        }
    }

    private static func diagnostic(of error: LuaError, _ name: String) -> Diagnostic {
        Diagnostic(
            .error, error.message, file: error.file, line: error.line,
            traceback: error.traceback.isEmpty ? nil : error.traceback,
            hint: "the transformer module '\(name)' stays as it was until it can be loaded")
    }

    /// The names of modules in use, sorted.
    var modules: [String] { catalog.versions.keys.sorted() }

    /// The files that a module reached through `require`, its own first. The files of a failed load are
    /// included, and the places where a missing file was searched.
    func files(of name: String) -> [String] {
        let current = catalog[name]
        var paths = current.map { [$0.path] } ?? []
        for path in (current?.files.paths ?? []) + (brokenFiles[name]?.paths ?? [])
        where !paths.contains(path) {
            paths.append(path)
        }
        return paths
    }

    /// The hash of a module's files at the time of the load; nil for an unknown name.
    func contentHash(of name: String) -> String? { catalog[name]?.files.hash.hex }

    // MARK: End

    /// Fails the waiting jobs and ends the threads. Results of running jobs are dropped.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        pool?.close()
        let jobs = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        for (_, job) in jobs { job.completion(job.job.failed(with: ScriptContext.closed.cause)) }
    }

    /// Returns when the threads have ended, with the number of Swift objects that their states still held.
    func isEnded() async -> Int {
        guard let pool else { return 0 }
        await withCheckedContinuation { continuation in pool.whenEnded { continuation.resume() } }
        return pool.hostObjectsLeft
    }
}
