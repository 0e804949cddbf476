import ArgumentParser
import LuaRuntime
import Platform
import RestEngine
import RestScript

/// The values that shells offer for arguments of several commands.
///
/// A kind with a function runs this program once more when somebody presses Tab. Such a run writes nothing to
/// standard error, because that would land in the line that is being typed.
enum Completions {
    static let script = CompletionKind.file(extensions: ["lua"])
    static let recording = CompletionKind.file(extensions: ["har"])
    static let method = CompletionKind.list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

    /// The services of the script that the line names.
    static let serviceOfScript = CompletionKind.custom { words, index, _ in
        let script = words.first { $0.hasSuffix(".lua") && NewFile.exists($0) }
        // There are no values to offer for a path.
        let isPath = words.indices.contains(index) && words[index].hasPrefix("/")
        guard let script, !isPath else { return [] }
        let names = MainThread.value { @EngineActor in services(of: script) }
        // Only one word of the line is a service.
        return words.contains(where: names.contains) ? [] : names
    }

    /// The services of the host that the line names, or of the only one that runs.
    static let serviceOfHost = CompletionKind.custom { words, _, _ in
        MainThread.value { @EngineActor in await services(ofHost: words) }
    }

    /// The numbers of running hosts.
    static let host = CompletionKind.custom { _, _, _ in
        let folder = AdminFolder.standard()
        guard folder.exists, folder.problem() == nil else { return [] }
        return folder.processes().filter { LocalSocket.isAnswered(folder.socket(of: $0)) }.map(String.init)
    }

    /// Loads the script as `check` does: it sends no request, begins no job, and keeps stores in memory. The
    /// load has half a second. Environment variables are as if they were not set.
    @EngineActor
    private static func services(of script: String) -> [String] {
        do throws(Diagnostic) {
            let log = LogText(isQuiet: true)
            let arguments = ScriptValues(config: script, grants: .none, logSets: [])
            var options = try arguments.options(log: log)
            options.log = { _ in }
            options.onHang = { _ in }
            options.collectsDiagnostics = true
            options.startsWork = false
            options.makeTransport = { _ in NullTransport() }
            options.openStoresInMemory()
            (options.grantedEnvironment, options.environment) = (nil, [:])
            _ = options.limits.set("load=0.5")
            let engine = Engine(transport: NullTransport())
            let host = try ScriptHost(path: script, engine: engine, options: options)
            defer { host.close() }
            return host.services.map(\.name)
        } catch { return [] }
    }

    @EngineActor
    private static func services(ofHost words: [String]) async -> [String] {
        func value(of option: String) -> String? {
            guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
            return words[index + 1]
        }
        var selection = HostSelection()
        selection.pid = value(of: "--pid").flatMap { Int32($0) }
        selection.admin = value(of: "--admin")
        do throws(AdminError) {
            let answer: AdminClient.Answer = try await selection.client().ask("status", timeout: 1)
            return answer.body["services"]?.elements.compactMap { $0["name"]?.string } ?? []
        } catch { return [] }
    }
}
