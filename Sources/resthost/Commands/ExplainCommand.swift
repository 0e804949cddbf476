import ArgumentParser
import RestEngine
import RestScript

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show which blocks apply to a resource, their changes, and the request that would be sent.",
        discussion: """
            Loads the script, runs the configuration blocks and mutators for one resource, and sends nothing. Jobs don't \
            begin, so a token that a job would fetch is missing. Secrets are shown as ***: Authorization, cookies, and \
            values with names like token, secret, password or key.

            A script with one service needs no SERVICE. PATH is joined to the service's base URL; an absolute URL is used \
            as it is. Exits with 1 when the request would fail before it is sent.

            Examples:
              resthost explain config.lua /users/octocat
              resthost explain config.lua github /issues --method POST
              resthost explain config.lua github 'https://other.example.com/x?page=2'
              resthost explain config.lua /users/octocat --json | jq '.blocks[].origin'
              resthost explain config.lua /users/octocat --curl
            """)

    @OptionGroup var script: ScriptArguments

    @Argument(
        help: ArgumentHelp("SERVICE and PATH, or PATH alone.", valueName: "[service] path"),
        completion: Completions.serviceOfScript)
    var target: [String]

    @Option(
        name: [.customShort("X"), .customLong("method")],
        help: ArgumentHelp("The method of the request.", valueName: "method"), completion: Completions.method)
    var method = "GET"

    @Flag(help: "Print the explanation as one JSON object.")
    var json = false

    @OptionGroup var commandLine: CurlArguments

    func validate() throws {
        if let fault = ServiceTarget.fault(target) { throw ValidationError(fault) }
        guard Method.normalized(method) != nil else {
            throw ValidationError("'\(method)' is not a method: it looks like GET or DELETE")
        }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in explain() }
        throw ExitCode(code)
    }

    @EngineActor
    private func explain() -> Int32 {
        guard
            let host = HostEngine.load(
                script.values, log: LogText(), startsWork: false, readsStores: commandLine.curl),
            let target = ServiceTarget(target, of: host)
        else { return 2 }
        if commandLine.curl {
            defer { host.close() }
            return commandLine.values.write(target.resource, Method(method), jobs: host.runningJobs)
        }
        let explanation = target.service.explain(
            target.path, method: Method(method))
        let hooks = ServedPaths.hooks(of: target.path, target.service, method, host)
        if json {
            let rows = hooks.map { hook in
                Tree(pairs: [
                    ("kind", Tree(hook.kind.rawValue)), ("path", Tree(hook.path)),
                    ("origin", hook.target.map { Tree($0) } ?? .null),
                ])
            }
            let pairs = explanation.tree.pairs.map { ($0.key, $0.value) } + [("hooks", Tree(rows))]
            Streams.output(json: MaskedText(json: Tree(pairs: pairs)))
        } else {
            Streams.output(ExplanationText().text(explanation))
            if !hooks.isEmpty {
                let heading = Style.standardOutput.bold("Hooks of the gateway, for clients of it")
                Streams.output("\n\(heading)\n" + ServedPaths.text(hooks))
            }
        }
        host.close()
        return explanation.failures.isEmpty ? 0 : 1
    }
}
