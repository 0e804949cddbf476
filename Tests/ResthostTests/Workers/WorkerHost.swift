import Platform
import RestEngine
import TestSupport
import Testing

/// A host of three workers.
final class WorkerHost {
    let folder: ScriptFolder
    let program: ChildProcess
    private let sockets = TemporaryFolder()
    private(set) var port = 0

    init(_ script: String, _ options: String...) async throws {
        folder = ScriptFolder(script)
        let admin = sockets.path + "/admin.sock"
        program = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--workers", "3", "--admin", admin] + options,
            in: folder.path)
        try #require(await program.hasReported("3 workers serve main.lua"), "\(program.errors)")
        let line = program.output.split(separator: "\n").first { $0.hasPrefix("listening on ") }
        port = try #require(line.flatMap { Int($0.split(separator: ":").last ?? "") })
    }

    deinit {
        program.signal(SIGKILL)
        for process in processes { kill(process, SIGKILL) }
    }

    var processes: [pid_t] {
        (try? status()["workers"]?.elements.compactMap { $0["pid"]?.int.map { pid_t($0) } }) ?? []
    }

    func get(_ target: String, method: String = "GET") throws -> String {
        try LoopbackClient(port: port).exchange(
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }

    func body(_ target: String) throws -> Tree {
        let answer = try get(target)
        return try Tree(json: String(answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""))
    }

    /// The answer of `resthost status`.
    func status() throws -> Tree { try admin("status") }

    /// The answer of the admin socket that all workers share.
    func admin(_ target: String) throws -> Tree {
        let answer = try LoopbackClient(path: sockets.path + "/admin.sock").exchange(
            "GET /-/\(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try Tree(json: String(answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""))
    }

    /// The workers that answer requests, which are given to them in turn.
    func workers() throws -> Set<Int> {
        var seen: Set<Int> = []
        // On a busy machine a worker may miss its turn.
        for _ in 0..<60 where seen.count < 3 {
            if let number = try body("/who")["worker"]?.int { seen.insert(Int(number)) }
        }
        return seen
    }

    /// A stream of events on the host's admin socket.
    func followed(_ target: String) throws -> LoopbackClient {
        let client = try LoopbackClient(path: sockets.path + "/admin.sock")
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client
    }

    func command(_ words: String...) async -> ChildProcess.Outcome {
        await ChildProcess(
            [BuiltProgram.path] + words + ["--admin", sockets.path + "/admin.sock"], in: folder.path
        ).end()
    }
}
