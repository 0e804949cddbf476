import Platform
import RestEngine
import TestSupport
import Testing

@testable import resthost

/// The access log in its own file (rules 67).
struct AccessFileTests {
    @Test func `67.2 a file that was moved away is opened anew`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/access.log"
        let file = try AccessFile(path)
        #expect(file.add(MaskedText("one\n")) == nil)
        #expect(rename(path, path + ".1") == 0)
        #expect(file.add(MaskedText("two\n")) == nil)
        try file.reopen()
        #expect(file.add(MaskedText("three\n")) == nil)
        func text(_ path: String) throws -> String {
            String(decoding: try WholeFile.read(path, limit: 100), as: UTF8.self)
        }
        #expect(try text(path + ".1") == "one\ntwo\n")
        #expect(try text(path) == "three\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o007 == 0)
    }

    @Test func `67.2 a failure is reported once`() throws {
        guard access("/dev/full", W_OK) == 0 else { return }
        let file = try AccessFile("/dev/full")
        #expect(file.add(MaskedText("\n")) != nil)
        #expect(file.add(MaskedText("\n")) == nil)
        #expect(throws: FileError.self) { try AccessFile("/no/such/folder/file") }
    }

    @Test func `67.1 a run writes every answer into it, secrets masked`() async throws {
        let folder = ScriptFolder("rest.gateway { listen = \"127.0.0.1:0\" }")
        folder.write("[log]\naccess = \"other.log\"\naccess-format = \"json\"\n", to: "resthost.toml")
        let child = folder.start("run", "main.lua", "--admin", "off", "--access-log", "access.log")
        #expect(await child.hasWritten("state of the host"))
        let address = try #require(
            child.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") })
        let port = try #require(Int(address.split(separator: ":")[2]))
        func ask(_ target: String) throws {
            _ = try LoopbackClient(port: port).exchange(
                "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        try ask("/none?token=s3cret")
        #expect(rename(folder.path + "/access.log", folder.path + "/old.log") == 0)
        child.signal(SIGUSR2)
        #expect(await child.hasReported("the access log was opened anew"))
        try ask("/-/health")
        child.signal(SIGTERM)
        let outcome = await child.end()
        #expect(outcome.code == 0)
        let old = try Tree(json: try #require(folder.text(of: "old.log")))
        #expect(old["target"]?.string == "/none?token=***")
        #expect(old["status"]?.int == 404)
        let new = try Tree(json: try #require(folder.text(of: "access.log")))
        #expect(new["target"]?.string == "/-/health")
        #expect(!folder.names.contains("other.log"))
    }

    @Test func `67.1 settings name it as well, and a file that can't be written ends the program`()
        async throws
    {
        let folder = ScriptFolder("rest.gateway { listen = \"127.0.0.1:0\" }")
        folder.write("[log]\naccess = \"none/other.log\"\n", to: "resthost.toml")
        let outcome = await folder.run("run", "main.lua", "--admin", "off")
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("none/other.log"), "\(outcome.errors)")
    }
}
