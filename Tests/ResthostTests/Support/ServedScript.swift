import Platform
import TestSupport
import Testing

/// A program that serves a script to clients at a port of the system's choice.
struct ServedScript {
    let folder: ScriptFolder
    let program: ChildProcess
    let port: Int

    /// - Parameter arguments: Further ones of `run`.
    init(
        _ folder: ScriptFolder, _ arguments: String..., at location: SourceLocation = #_sourceLocation
    ) async throws {
        self.folder = folder
        program = ChildProcess([BuiltProgram.path, "run", "main.lua"] + arguments, in: folder.path)
        #expect(
            await program.hasWritten("state of the host"), "\(program.errors)", sourceLocation: location)
        port = try #require(Self.ports("listening on ", program).last, sourceLocation: location)
    }

    /// The ports in the lines of the output that begin with a text, the oldest first.
    static func ports(_ text: String, _ program: ChildProcess) -> [Int] {
        program.output.split(separator: "\n").filter { $0.hasPrefix(text) }.compactMap {
            Int($0.split(separator: ":").last ?? "")
        }
    }

    /// A connection on which a request was sent. The answer is its last one.
    func asking(_ target: String, _ fields: String...) throws -> LoopbackClient {
        let client = try LoopbackClient(port: port)
        client.send(Self.head(target, fields))
        return client
    }

    /// The whole answer.
    func get(_ target: String, _ fields: String...) throws -> String {
        try LoopbackClient(port: port).exchange(Self.head(target, fields))
    }

    /// The body of an answer.
    func body(_ target: String, _ fields: String...) throws -> String {
        let answer = try LoopbackClient(port: port).exchange(Self.head(target, fields))
        return answer.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? answer
    }

    private static func head(_ target: String, _ fields: [String]) -> String {
        let lines = (["GET \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + fields)
        return lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @discardableResult
    func end(at location: SourceLocation = #_sourceLocation) async -> ChildProcess.Outcome {
        program.signal(SIGTERM)
        let outcome = await program.end()
        #expect(outcome.code == 0, "\(outcome.errors)", sourceLocation: location)
        return outcome
    }
}
