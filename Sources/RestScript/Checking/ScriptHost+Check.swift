import LuaRuntime
import RestEngine

extension ScriptHost {
    /// Finds more faults in a script that was loaded with ``ScriptOptions/collectsDiagnostics``: blocks that
    /// raise, modules that can't be loaded, and probable mistakes. See ``diagnostics``.
    public func check() { check(within: TrialTime()) }

    func check(within time: TrialTime) {
        let failed = !context.declarations.diagnostics.isEmpty
        let source = (try? ScriptSource.read(path)) ?? []
        let files = FileReview(context, path: path, source: source)
        for finding in files.findings { note(finding) }
        for finding in context.personalAnswers() + context.smallGatewayLimits() { note(finding) }
        if failed { tryModules(files.required) }
        tryBlocks(within: time)
        tryDefinitions(within: time)
        for service in services {
            tryGrants(of: service)
            for finding in service.reviewBlocks(within: time) { note(diagnostic(finding, service)) }
        }
        if time.wasShort {
            note(
                Diagnostic(
                    .warning, code: "untried_blocks",
                    "not all blocks were tried out: that would take more than \(Int(TrialTime.standardSeconds)) s",
                    hint: "look for blocks that take long, or give several resources one block"))
        }
        for number in context.declarations.diagnostics.indices
        where context.declarations.diagnostics[number].file == nil {
            context.declarations.diagnostics[number].file = path
        }
    }

    /// Adds a finding unless it is known. Loading says more about a missing module than the text does, so a
    /// finding of the text gives way; only the code "syntax" is kept, because a script fails in the same way
    /// as the script that it loads.
    private func note(_ finding: Diagnostic) {
        let known = context.declarations.firstDiagnostic(at: finding.file, finding.line) { known in
            known.message == finding.message || finding.code == "missing_module"
                || known.code == "unset_variable" && finding.code == "block"
        }
        guard let known else { return context.declarations.diagnostics.append(finding) }
        if finding.code == "syntax" { context.declarations.diagnostics[known].code = finding.code }
    }

    /// Loading has ended early, so modules that the script would have loaded later may be wrong, too.
    private func tryModules(_ modules: [(name: String, line: Int)]) {
        for (name, line) in modules
        where !context.sandbox.isLoaded(name) && !context.sandbox.isPreloaded(name) {
            guard (try? context.sandbox.file(ofModule: name)) != nil, line > 0 else { continue }
            do throws(LuaError) {
                let lua = context.state.main
                let height = lua.top
                defer { lua.setTop(height) }
                lua.push(try context.sandbox.compile("require(...)", chunk: path))
                lua.push(name)
                try lua.call(arguments: 1, results: 0, phase: context.phases.load)
            } catch { note(ScriptFailures.diagnostic(of: error, in: context.state)) }
        }
    }

    /// Warns of a service whose own host is not granted: most of its requests would fail.
    private func tryGrants(of service: Service) {
        guard let base = service.baseURL?.url.origin.flatMap({ URLText($0) }),
            case .scriptError(let refusal)? = context.services.refusalOfRequest(to: base)
        else { return }
        let place = context.services[service.name]?.place
        note(
            Diagnostic(
                .warning, code: "ungranted_host", refusal.message, file: place?.file, line: place?.line))
    }

    private func diagnostic(_ finding: BlockFinding, _ service: Service) -> Diagnostic {
        let place = SampleAddress.place(of: service.configurationEntries[finding.block].origin ?? path)
        return Diagnostic(
            .warning, code: finding.code.rawValue, finding.message, file: place.file, line: place.line,
            hint: finding.hint)
    }

    /// Runs each block on addresses made from its pattern, to find what would fail later.
    func tryBlocks(within time: TrialTime = TrialTime()) {
        for service in services {
            for (number, entry) in service.configurationEntries.enumerated() where entry.origin != nil {
                let method = entry.methods?.map(\.rawValue).sorted().first ?? "GET"
                for url in entry.pattern.samples(of: service) {
                    guard time.isLeft else { return }
                    guard let failure = service.tryEntry(number, url: url, method: method) else {
                        let small = context.smallLimit(of: service, url, method: method)
                        if let small { note(small) }
                        continue
                    }
                    note(SampleAddress.diagnostic(of: failure, in: entry, url: url))
                    break
                }
            }
        }
    }

    /// Runs the functions that configure definitions, each once, on an address of the first service.
    private func tryDefinitions(within time: TrialTime) {
        let base = services.lazy.compactMap { $0.baseURL?.url }.first
        guard let url = base ?? URLText("http://localhost/") else { return }
        for function in context.declarations.configurationFunctions where time.isLeft {
            guard let failure = function.tried(for: url, method: "GET") else { continue }
            note(SampleAddress.diagnostic(of: failure, at: function.origin, url: url))
        }
        context.declarations.configurationFunctions = []
    }
}

/// Findings about blocks that ran on an address made from their pattern.
@EngineActor
enum SampleAddress {
    static func diagnostic(of failure: RequestError, in entry: ConfigurationEntry, url: URLText) -> Diagnostic
    {
        diagnostic(of: failure, at: entry.origin, url: url)
    }

    /// - Parameter origin: `file:line` of a block, or of a definition's function.
    static func diagnostic(of failure: RequestError, at origin: String?, url: URLText) -> Diagnostic {
        if case .scriptError(let script)? = failure.cause { return diagnostic(of: script, url) }
        if case .scriptLimit(_, _, _, let script)? = failure.cause { return diagnostic(of: script, url) }
        let place = origin.map(place(of:))
        return Diagnostic(.error, code: "block", "\(failure)", file: place?.file, line: place?.line)
    }

    /// The file and the line of `file:line`.
    static func place(of origin: String) -> (file: String, line: Int?) {
        guard let colon = origin.lastIndex(of: ":") else { return (origin, nil) }
        return (String(origin[..<colon]), Int(origin[origin.index(after: colon)...]))
    }

    private static func diagnostic(
        of failure: RequestError.ScriptFailure, _ url: URLText
    ) -> Diagnostic {
        Diagnostic(
            .error, code: "block", failure.message, file: failure.file, line: failure.line,
            traceback: failure.traceback,
            hint: "this happens when the block is run, for instance for \(url.string)")
    }
}
