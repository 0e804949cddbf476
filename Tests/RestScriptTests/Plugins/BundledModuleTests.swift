import LuaRuntime
import Platform
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The Lua modules that come with the program.
@Suite(.leakChecked) @EngineActor
struct BundledModuleTests {
    @Test func `each plugin describes its options and functions in the language of signatures`() throws {
        let plugins = try PluginDescription.all()
        #expect(!plugins.isEmpty)
        for plugin in plugins {
            #expect(
                BundledModules.names.contains(plugin.name) && plugin.text.hasSuffix("."), "\(plugin.name)")
            var options = plugin.options
            for function in plugin.functions {
                #expect(
                    Signature(function.signature) != nil,
                    "\(plugin.name).\(function.name)\(function.signature)")
                #expect(function.text.hasSuffix("."), "\(plugin.name).\(function.name)")
                options += function.options
            }
            while let option = options.popLast() {
                #expect(Signature.type(option.type) != nil, "\(plugin.name): \(option.name): \(option.type)")
                #expect(option.sentence.hasSuffix("."), "\(plugin.name): \(option.name)")
                options += option.fields
            }
        }
    }
}

extension BundledModuleTests {
    @Test func `a script uses a plugin by its short name or requires it`() throws {
        try expect(
            """
            api:use("api_key", { header = "X-Key", value = "key-of-plugin" })
            local basic = require "resthost.basic"
            print(type(basic.use), require "resthost.basic" == basic)
            print(pcall(require, "resthost.nowhere"))
            """,
            prints: [
                "function\ttrue",
                "false\tmodule 'resthost.nowhere' not found: no resthost/nowhere.lua or "
                    + "resthost/nowhere/init.lua in '.'",
            ])
    }

    @Test(arguments: [
        (
            #"api:use("api_key", { header = "X", valeu = "key-of-plugin" })"#,
            "unknown option 'valeu': did you mean 'value'?"
        ),
        (#"api:use("api_key", { header = "X" })"#, "option 'value' is missing in the call of 'api_key'"),
        (#"api:use("api_key", { value = "key-of-plugin" })"#, "'api_key' takes either 'header' or 'query'"),
        (
            #"api:use("api_key", { header = 1, value = "a" })"#,
            "bad option 'header' to 'api_key' (string expected, got number)"
        ),
        (#"api:use("api_key", 3)"#, "'api_key' takes a table of options, not a number"),
        (
            #"api:use("api_kee", {})"#,
            "module 'api_kee' not found: no api_kee.lua or api_kee/init.lua in '.': did you mean 'api_key'?"
        ),
    ])
    func `a wrong option is an error with the line that gave it`(line: String, message: String) throws {
        let script = ScriptFixture()
        defer { script.close() }
        let diagnostic = try #require(script.failure(of: "\n\(line)"))
        #expect(diagnostic.message == message && diagnostic.line == 2 && diagnostic.file == "test.lua")
    }

    @Test func `a file in the script's folder goes before the bundled module, by both names`() throws {
        let fixture = try ModuleFixture()
        defer { fixture.script.close() }
        fixture.folder.write(
            "resthost/basic.lua", "return { use = function(service) print('mine', service.name) end }")
        try fixture.load(
            #"api:use("basic") api:use("resthost.basic") api:use(require "resthost.digest", { username = "a", password = "b" })"#
        )
        #expect(fixture.script.take() == ["mine\tapi", "mine\tapi"])
    }

    @Test func `explain shows a plugin's block with its name`() throws {
        let script = ScriptFixture()
        defer { script.close() }
        try script.load(
            #"api:use("api_key", { header = "X-Key", value = "key-of-plugin", pattern = "/a/**" })"#)
        let service = try #require(script.host?.services.first)
        let blocks = service.explain("/a/b").blocks.filter { $0.description == "api_key" }
        #expect(blocks.count == 1)
        #expect(!service.explain("/b").blocks.contains { $0.description == "api_key" })
    }

    @Test func `a transformer module may require bundled modules`() async throws {
        let fixture = try ModuleFixture([
            "near": """
            local plugin = require "resthost.plugin"
            return function(content) return { near = plugin.nearest("tokn", { "token", "name" }) } end
            """
        ])
        defer { fixture.script.close() }
        try fixture.load(
            """
            api:configure_transformer("**", "near")
            rest.spawn(function() print(api:resource("json"):get().near) end)
            """)
        await fixture.settle()
        #expect(fixture.script.take() == ["token"])
    }
}
