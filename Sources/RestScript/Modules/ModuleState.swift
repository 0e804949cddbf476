import LuaRuntime
import RestEngine

/// A Lua state in which transformer modules run, on its own thread.
final class ModuleState: LuaPoolWorker {
    enum Job: Sendable {
        /// The job, with the versions of modules at the time when it was sent.
        case transform(OffloadedJob, [String: ModuleVersion])
        /// Tries a module.
        case load(String, ModuleFiles)
    }

    enum Answer: Sendable {
        case outcome(OffloadedJob.Outcome)
        /// The job was not run, because one of its modules has made a thread hang meanwhile.
        case refused
        /// The rules in the module's table; nil for a function.
        case loaded(Result<ContentRules?, LuaError>)
    }

    /// A module's function, and the objects that it needs.
    struct Loaded {
        let number: Int
        let sandbox: LuaSandbox
        let definition: ModuleDefinition
    }

    let values: ModuleValues
    private var loaded: [String: Loaded] = [:]

    /// Nil for a state that only loads.
    private let hung: HungModules?
    private let usage: ModuleUsage?

    init(
        _ settings: ModuleSettings, hung: HungModules? = nil, usage: ModuleUsage? = nil,
        onHang: (@Sendable (LuaHang) -> Void)? = nil
    ) {
        self.hung = hung
        self.usage = usage
        values = ModuleValues(settings, onHang: onHang)
    }

    var isSpoiled: Bool { values.isSpoiled }

    func tidy() -> Bool {
        let state = values.state
        guard state.hasGrown, state.collectStep() else { return !state.hasGrown }
        state.expectGrowth()
        return true
    }

    func close() -> LeakReport {
        usage?.end(self)
        for module in loaded.values { module.sandbox.close() }
        loaded = [:]
        return values.close()
    }

    // MARK: Jobs

    func perform(_ job: Job) -> Answer {
        let answer = answer(to: job)
        usage?.note(.init(bytes: values.state.memoryUsed, seconds: values.state.cpuSeconds), of: self)
        return answer
    }

    private func answer(to job: Job) -> Answer {
        switch job {
        case .transform(let job, let versions):
            if let hung, !hung.refused(of: job).isEmpty { return .refused }
            return .outcome(run(job, versions))
        case .load(let name, let files):
            do throws(LuaError) {
                let loaded = try load(name, files, number: 0)
                loaded.sandbox.close()
                return .loaded(.success(loaded.definition.rules))
            } catch { return .loaded(.failure(error)) }
        }
    }

    private func run(
        _ job: OffloadedJob, _ versions: [String: ModuleVersion]
    ) -> OffloadedJob.Outcome {
        values.now = job.context.now
        return job.run { transformer, response, context in
            guard let transformer = transformer as? ModuleTransformer,
                let version = versions[transformer.module]
            else { return response }
            return transform(response, transformer, version, context)
        }
    }

    private func transform(
        _ response: Response, _ transformer: ModuleTransformer, _ version: ModuleVersion,
        _ context: PipelineContext
    ) -> Response {
        let description = transformer.description(version)
        do throws(LuaError) {
            let definition = try definition(of: version)
            return values.transform(
                response,
                by: ContentCall(
                    function: ScriptFunction(
                        reference: definition.function, file: version.path, line: definition.line),
                    rules: transformer.rules(of: version), description: description),
                context)
        } catch {
            values.transformerFailed(error)
            let failed = response.failed(
                with: RequestError.CauseError(ScriptFailures.cause(of: error)),
                userMessage: RequestError.unparsableMessage, in: context)
            guard let old = response.error, let new = failed.error else { return failed }
            values.report(new, in: description)
            return .failure(old)
        }
    }

    private func definition(of version: ModuleVersion) throws(LuaError) -> ModuleDefinition {
        if let known = loaded[version.name], known.number == version.number {
            return known.definition
        }
        let new = try load(version.name, version.files, number: version.number)
        loaded.updateValue(new, forKey: version.name)?.sandbox.close()
        return new.definition
    }

    // MARK: Loading

    /// Runs a module's file and checks its result.
    func load(_ name: String, _ files: ModuleFiles, number: Int) throws(LuaError) -> Loaded {
        let sandbox = values.makeSandbox()
        sandbox.findModule = { try files.file($0, $1) }
        sandbox.onFileMissed = { files.miss($0) }
        do throws(LuaError) {
            let lua = values.state.main
            let height = lua.top
            defer { lua.setTop(height) }
            do { try sandbox.pushModule(name, on: lua, phase: values.phases.load) } catch {
                throw Self.placed(error, in: files.file(name))
            }
            let definition = try definition(name, lua, files.file(name))
            do throws(LuaError) { try sandbox.freezeGlobals() } catch {
                throw Self.placed(error, in: files.file(name))
            }
            return Loaded(number: number, sandbox: sandbox, definition: definition)
        } catch {
            sandbox.close()
            throw error
        }
    }

    /// The error of a module. An error without a place gets the module's file.
    private static func placed(_ error: any Error, in file: LuaModuleFile?) -> LuaError {
        guard let known = error as? LuaError else {
            return LuaError(kind: .runtime, message: "\(error)")
        }
        return known.placed(file: file?.path, line: nil)
    }

    private func definition(
        _ name: String, _ lua: Lua, _ file: LuaModuleFile?
    ) throws(LuaError) -> ModuleDefinition {
        do { return try ModuleDefinition(name, lua, -1, values.trees) } catch {
            // A file returns its value in its last line.
            throw LuaError(
                kind: .runtime, message: "\(error)", file: file?.path, line: file?.lastLine)
        }
    }
}

extension LuaModuleFile {
    /// The number of the last line that is not empty.
    var lastLine: Int {
        var line = 1
        var last = 1
        for byte in source {
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte > UInt8(ascii: " ") {
                last = line
            }
        }
        return last
    }
}
