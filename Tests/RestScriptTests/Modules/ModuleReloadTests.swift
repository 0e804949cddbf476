import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The questions of a host's reload about transformer modules.
@Suite(.leakChecked) @EngineActor
struct ModuleReloadTests {
    private let fixture: ModuleFixture

    init() throws {
        fixture = try ModuleFixture([
            "a": "local lib = require 'lib' local n = 0 return function() n = n + 1 return lib.text .. n end",
            "b": "local n = 0 return function() n = n + 1 return 'b' .. n end",
            "lib": "return { text = 'old' }",
        ])
    }

    private func load() throws -> ScriptHost {
        try fixture.load(
            """
            api:configure_transformer("text", "a")
            api:configure_transformer("json", "b")
            """)
        return try #require(fixture.script.host)
    }

    private func contents(_ host: ScriptHost) async -> [String?] {
        let requests = ["text", "json"].map { host.service(named: "api")?.resource($0).load() }
        await fixture.settle()
        return requests.map { $0?.info?.response.entity?.content.text }
    }

    @Test func `a module tells its files, and a hash of what they held`() async throws {
        let host = try load()
        #expect(host.transformerModules == ["a", "b"])
        #expect(host.files(ofModule: "a").map(fixture.plain) == ["a.lua", "lib.lua"])
        #expect(host.files(ofModule: "b").map(fixture.plain) == ["b.lua"])
        #expect(host.files(ofModule: "c").isEmpty)
        let hash = host.contentHash(ofModule: "a")
        #expect(hash != nil)
        #expect(host.contentHash(ofModule: "b") != hash)
        #expect(host.contentHash(ofModule: "c") == nil)
        try host.reloadModule("a")
        #expect(host.contentHash(ofModule: "a") == hash)
        fixture.write("lib", "return { text = 'new' }")
        #expect(host.contentHash(ofModule: "a") == hash)
        try host.reloadModule("a")
        #expect(host.contentHash(ofModule: "a") != hash)
        await fixture.close()
    }

    @Test func `a host is notified of every file that a module reached, or looked for`() async throws {
        var paths: [String] = []
        fixture.script.options.onModuleFileReached = { paths.append($0) }
        let host = try load()
        fixture.write("b", "return function() return require('later').text end")
        fixture.write("later", "return { text = 'later' }")
        try host.reloadModule("b")
        #expect(await contents(host) == ["old1", "later"])
        await fixture.settle()
        let seen = Set(paths.map(fixture.plain))
        #expect(seen.isSuperset(of: ["a.lua", "lib.lua", "b.lua", "later.lua"]))
        fixture.write("b", "require 'gone' return print")
        #expect(throws: Diagnostic.self) { try host.reloadModule("b") }
        #expect(Set(paths.map(fixture.plain)).isSuperset(of: ["gone.lua", "gone/init.lua"]))
        await fixture.close()
    }

    @Test func `a pipeline is another when its module is`() async throws {
        let host = try load()
        let transformer = ModuleTransformer(
            pool: try #require(fixture.pool), module: "a", rules: nil, name: nil)
        let before = transformer.fingerprint
        try host.reloadModule("a")
        #expect(transformer.fingerprint == before)
        fixture.write("lib", "return { text = 'new' }")
        try host.reloadModule("a")
        #expect(transformer.fingerprint != before)
        await fixture.close()
    }

    @Test func `a module is loaded again alone, with what it requires`() async throws {
        let host = try load()
        #expect(await contents(host) == ["old1", "b1"])
        fixture.write("lib", "return { text = 'new' }")
        #expect(await contents(host) == ["old2", "b2"])
        try host.reloadModule("a")
        #expect(await contents(host) == ["new1", "b3"])
        await fixture.close()
    }

    @Test(
        "a module that can't be loaded stays as it was",
        arguments: [
            ("a", "\nreturn function(", "a.lua", 2), ("lib", "\n\nerror('no')", "lib.lua", 3),
            ("a", "return 5", "a.lua", 1), ("a", "require 'gone' return print", "a.lua", 1),
        ])
    func broken(name: String, text: String, file: String, line: Int) async throws {
        let host = try load()
        #expect(await contents(host) == ["old1", "b1"])
        let hash = host.contentHash(ofModule: "a")
        fixture.write(name, text)
        do throws(Diagnostic) {
            try host.reloadModule("a")
            Issue.record("it was loaded")
        } catch {
            #expect(error.file.map(fixture.plain) == file)
            #expect(error.line == line)
            #expect(error.hint == "the transformer module 'a' stays as it was until it can be loaded")
        }
        #expect(await contents(host) == ["old2", "b2"])
        #expect(host.contentHash(ofModule: "a") == hash)
        // The next save is noticed by the files that the module used and by those that it tried.
        #expect(host.files(ofModule: "a").map(fixture.plain).contains(file))
        await fixture.close()
    }

    @Test func `running work finishes with the old version, and later work has the new one`() async throws {
        let gate = Checkpoint()
        fixture.install(gate)
        fixture.write("a", "local gate = require 'test.gate' return function() gate() return 'old' end")
        let host = try load()
        let old = host.service(named: "api")?.resource("text").load()
        fixture.script.settle()
        gate.waitForArrival()
        fixture.write("a", "return function() return 'new' end")
        try host.reloadModule("a")
        gate.open()
        #expect(await contents(host).first == "new")
        #expect(old?.info?.response.entity?.content.text == "old")
        await fixture.close()
    }

    @Test func `rules may change with the module`() async throws {
        let host = try load()
        fixture.write("a", "return { description = 'strict', input = 'json', transform = print }")
        try host.reloadModule("a")
        let request = host.service(named: "api")?.resource("text").load()
        await fixture.settle()
        #expect(request?.info?.response.error?.code == "wrong_input_type")
        await fixture.close()
    }

    @Test func `a file that is read later is the same text in every state`() async throws {
        fixture.script.options.transformerThreads = 2
        fixture.write("a", "return function() return require('lib').text end")
        let host = try load()
        #expect(await contents(host).first == "old")
        fixture.write("lib", "return nonsense +")
        for _ in 0..<8 { #expect(await contents(host).first == "old") }
        #expect(host.files(ofModule: "a").map(fixture.plain) == ["a.lua", "lib.lua"])
        await fixture.close()
    }
}
