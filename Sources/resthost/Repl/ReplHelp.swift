import RestEngine
import RestScript

/// The repl's own commands.
@EngineActor
enum ReplHelp {
    nonisolated static let names = ["explain", "help", "quit", "reload", "resources", "services"]

    private nonisolated static let text = """
        Type Lua: an expression shows its values, statements run, and what is not complete goes on in the next line.
          github:resource("/users/octocat"):get()     waits; Ctrl-C ends the waiting
          user = github:resource("/users/octocat")    stays a variable; what is 'local' ends with its input
        The script's own globals can be read, not changed.

          :explain [SERVICE] PATH [METHOD]   which blocks apply, and what would be sent
          :services                          the services and their variables
          :resources [SERVICE]               the resources in use, and how fresh they are
          :reload                            load the script again; variables begin anew
          :help                              this
          :quit                              leave, as Ctrl-D does

        """

    static func run(_ line: String, in session: ReplSession) -> ReplSession.Step {
        let words = line.split(separator: " ").map(String.init)
        let rest = Array(words.dropFirst())
        switch words.first ?? "" {
        case "help", "h", "?": Streams.output(text)
        case "quit", "q", "exit": return .quit
        case "services": services(session.host)
        case "resources": resources(session.host, rest)
        case "explain": explain(session.host, rest)
        case "reload": session.reload()
        case let other:
            let near = names.first { $0.hasPrefix(other.prefix(2)) && !other.isEmpty }
            Streams.error("there is no :\(other)\(near.map { ": did you mean :\($0)?" } ?? "; see :help")\n")
        }
        return .ended
    }

    private static func services(_ host: ScriptHost) {
        if host.services.isEmpty { Streams.output("the script declares no service\n") }
        let rows = host.services.map { service in
            (
                ScriptConsole.variable(for: service),
                (service.baseURL.map { SecretMask.standard.url($0.url.string) } ?? "absolute URLs only")
                    + (ScriptConsole.variable(for: service) == service.name ? "" : "  (\(service.name))")
            )
        }
        Streams.output(table(rows))
    }

    private static func resources(_ host: ScriptHost, _ words: [String]) {
        if let name = words.first, host.service(named: name) == nil {
            return Streams.error("there is no service '\(name)'; see :services\n")
        }
        let services = host.services.filter { words.isEmpty || words[0] == $0.name }
        let rows = services.flatMap(\.liveResources).sorted { $0.urlString < $1.urlString }.map {
            (SecretMask.standard.url($0.urlString), state(of: $0))
        }
        Streams.output(rows.isEmpty ? "no resource is in use\n" : table(rows))
    }

    private static func state(of resource: Resource) -> String {
        var states = [resource.isUpToDate ? "fresh" : resource.latestData == nil ? "no data" : "stale"]
        if let age = resource.dataAgeSeconds { states.append("\(Int(age)) s old") }
        if resource.isLoading { states.append("loading") }
        if var error = resource.latestError {
            error.url = nil
            states.append("\(error)")
        }
        return states.joined(separator: ", ")
    }

    private static func explain(_ host: ScriptHost, _ words: [String]) {
        var words = words
        var method = "GET"
        if words.count > 1, let last = words.last, last.allSatisfy({ $0.isUppercase }) {
            method = last
            words.removeLast()
        }
        if let fault = ServiceTarget.fault(words) { return Streams.error("\(fault)\n") }
        guard let target = ServiceTarget(words, of: host) else { return }
        Streams.output(ExplanationText().text(target.service.explain(target.path, method: Method(method))))
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            let gap = String(repeating: " ", count: width - name.count)
            return VisibleText.inline("  \(name)\(gap)  \(text)") + "\n"
        }.joined()
    }
}
