import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Scripts that replace each other, loaded from files.
@Suite(.leakChecked) @EngineActor
struct GenerationsTests {
    private let folder = TemporaryFolder()
    private let fixture = EngineFixture()

    private func start(_ source: String) throws -> Generations {
        folder.write("main.lua", Self.prelude + source)
        let generations = try Generations(path: folder.path + "/main.lua", engine: fixture.engine) {
            () throws(Diagnostic) in ScriptOptions()
        }
        LeakList.current?.watch(generations)
        return generations
    }

    private static let prelude =
        #"local rest = require "resthost" local api = rest.service { name = "api", base_url = "https://api.test/v1" } "#

    private func diagnostic(_ result: Result<Generations.Outcome, Diagnostic>) -> Diagnostic? {
        if case .failure(let diagnostic) = result { diagnostic } else { nil }
    }

    /// The text of a load, which may pass through other threads.
    private func text(of resource: Resource) async -> String? {
        let request = resource.load()
        fixture.settle()
        while fixture.engine.offloadedWork > 0 {
            guard await fixture.engine.offloadedWorkEnds() else { return nil }
            fixture.settle()
        }
        return request.info?.response.entity?.content.text
    }

    private func close(_ generations: Generations) async {
        await generations.shutDown(within: 0)
        fixture.settle()
    }

    @Test func `files that are read are no reason to load the script again, modules and settings are`()
        async throws
    {
        folder.write("data.txt", "x")
        folder.write("tool.lua", "return 1")
        let generations = try start(
            "require 'tool' print(rest.read_file 'data.txt') rest.write_file('out.txt', 'y')")
        let names = generations.files.map { String($0.dropFirst(folder.path.count + 1)) }.sorted()
        #expect(names == ["main.lua", "resthost.toml", "tool.lua"], "\(names)")
        await close(generations)
    }

    @Test func `46.2 a reload is reported, also one that failed, and to a script that began with it`()
        async throws
    {
        let listen = "rest.on_event({ 'reload' }, function(event) told = event.generation end) "
        let generations = try start("")
        var trees: [Tree] = []
        let subscription = fixture.engine.onEvent([.reload]) { trees.append($0.tree) }
        folder.write("main.lua", "local told = 0 " + Self.prelude + listen)
        _ = generations.reload(.signal)
        folder.write("main.lua", "nonsense")
        _ = generations.reload(.request)
        #expect(trees.map { $0["generation"]?.int } == [2, 2])
        #expect(trees.map { $0["trigger"]?.string } == ["at SIGHUP", "on request"])
        #expect(trees.map { $0["error"] != nil } == [false, true])
        #expect(trees.last?["error"]?.string?.contains("main.lua:1: ") == true)
        subscription.cancel()
        await close(generations)
    }

    @Test func `a good script takes over, a bad one leaves the other and says why`() async throws {
        let generations = try start("")
        let service = try #require(generations.current.service(named: "api"))
        #expect(generations.number == 1 && generations.trigger == .start && generations.lastFailure == nil)
        folder.write("main.lua", Self.prelude + "\nerror('boom')")
        guard case .failure(let diagnostic) = generations.reload(.signal) else {
            return #expect(Bool(false), "it is no good")
        }
        #expect(diagnostic.message == "boom" && diagnostic.line == 2)
        #expect(generations.number == 1 && generations.lastFailure?.diagnostic == diagnostic)
        #expect(generations.lastFailure?.trigger == .signal)
        folder.write("main.lua", Self.prelude)
        #expect(try generations.reload(.request).get() == .script(2))
        #expect(generations.lastFailure == nil && generations.trigger == .request)
        #expect(generations.current.service(named: "api") === service)
        fixture.settle()
        #expect(generations.retiredCount == 0)
        await close(generations)
    }

    @Test func `other parts that must accept a script can refuse it`() async throws {
        let generations = try start("")
        let service = try #require(generations.current.service(named: "api"))
        let entries = service.configurationEntries.count
        generations.prepare = { (_) throws(Diagnostic) in throw Diagnostic(.error, "not here") }
        folder.write("main.lua", Self.prelude + "api:configure(function() end)")
        #expect(diagnostic(generations.reload(.user))?.message == "not here")
        #expect(generations.current.service(named: "api") === service)
        #expect(service.configurationEntries.count == entries)
        await close(generations)
    }

    @Test func `files are those that the script was read from, or asked for`() async throws {
        folder.write("lib/tool.lua", "return {}")
        let generations = try start("require 'lib.tool' pcall(require, 'optional')")
        var changes = 0
        generations.onFilesChange = { changes += 1 }
        let names = { generations.files.map { $0.replacing(folder.path + "/", with: "") }.sorted() }
        #expect(
            names() == ["lib/tool.lua", "main.lua", "optional.lua", "optional/init.lua", "resthost.toml"])
        folder.write("main.lua", Self.prelude + "require 'wanted'")
        _ = generations.reload(.user)
        #expect(names().contains("wanted.lua") && names().contains("lib/tool.lua") && changes > 0)
        changes = 0
        folder.write("main.lua", Self.prelude)
        _ = generations.reload(.user)
        #expect(names() == ["main.lua", "resthost.toml"] && changes > 0)
        await close(generations)
    }

    @Test func `a transformer module is loaded alone, and the script goes on`() async throws {
        let use = "api:configure_transformer('text', 'mapper') api:configure_transformer('other', 'mapper')"
        folder.write(
            "mapper.lua", "local tool = require 'tool' return function(c) return c .. ' one' .. tool end")
        folder.write("tool.lua", "return '!'")
        fixture.engine.remembersPipelines = true
        try fixture.stub("GET", "text", .text(200, "from"))
        try fixture.stub("GET", "plain", .text(200, "plain"))
        let generations = try start(use)
        let service = try #require(generations.current.service(named: "api"))
        let (text, plain) = (service.resource("text"), service.resource("plain"))
        #expect(await self.text(of: text) == "from one!")
        #expect(await self.text(of: plain) == "plain")
        let path = { (name: String) in folder.path + "/" + name }
        #expect(generations.files.isSuperset(of: [path("mapper.lua"), path("tool.lua")]))

        folder.write("tool.lua", "return '?'")
        #expect(try generations.reload(.files([path("tool.lua")])).get() == .modules(["mapper"]))
        #expect(generations.number == 1 && !text.isUpToDate && plain.isUpToDate)
        #expect(await self.text(of: text) == "from one?")

        folder.write("mapper.lua", "return function(c) return c .. ' two' en")
        #expect(diagnostic(generations.reload(.files([path("mapper.lua")])))?.file == path("mapper.lua"))
        #expect(generations.lastFailure != nil && text.isUpToDate)
        folder.write("mapper.lua", "return function(c) return c .. ' two' end")
        #expect(try generations.reload(.files([path("mapper.lua")])).get() == .modules(["mapper"]))
        #expect(generations.lastFailure == nil)
        #expect(await self.text(of: text) == "from two")

        folder.write("main.lua", Self.prelude + use)
        #expect(try generations.reload(.files([path("mapper.lua"), path("main.lua")])).get() == .script(2))
        #expect(text.isUpToDate, "the same module, the same data")
        await close(generations)
    }

    @Test func `a thousand reloads leave nothing`() async throws {
        let generations = try start("")
        var memory: [Int] = []
        for number in 1...1000 {
            let source =
                number % 10 == 0
                ? "error('boom')"
                : """
                api:configure("**", function(c) c.headers["X-N"] = "\(number)" end)
                api:configure_transformer("a", function(c) return c end)
                rest.every(1, function() end)
                api:resource("a"):add_observer(function() end)
                """
            folder.write("main.lua", Self.prelude + source)
            #expect((diagnostic(generations.reload(.user)) == nil) == (number % 10 != 0))
            fixture.settle()
            #expect(generations.retiredCount == 0)
            memory.append(generations.current.memoryUsed)
        }
        #expect(generations.number == 901)
        #expect(memory[998] <= memory[1] * 105 / 100)
        await close(generations)
    }
}
