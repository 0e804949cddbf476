import Platform
import RestEngine
import RestScript
import TestSupport
import Testing

struct PluginsCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ arguments: String...) async -> ChildProcess.Outcome {
        await ChildProcess([BuiltProgram.path, "plugins"] + arguments, in: folder.path).end()
    }

    @Test func `all files of the folder are bundled, sorted by name`() throws {
        let files = TemporaryFolder.names(at: "\(BuiltProgram.repository)/Sources/CPlugins/modules")
        #expect(
            BundledModules.names
                == files.filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }.sorted())
        for name in BundledModules.names {
            let source = try #require(BundledModules.source("resthost.\(name)"))
            let text = try TextFile.read("Sources/CPlugins/modules/\(name).lua")
            #expect(text == String(decoding: source, as: UTF8.self), "\(name)")
        }
        #expect(BundledModules.source("resthost.nowhere") == nil && BundledModules.source("plugin") == nil)
    }

    @Test func `without a name it lists the plugins, for people and for programs`() async throws {
        let text = await run()
        #expect(text.code == 0)
        #expect(text.output.contains("\napi_key  ") || text.output.hasPrefix("api_key  "))
        let json = await run("--json")
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == text.output.split(separator: "\n").count)
        let first = try Tree(json: String(lines[0]))
        #expect(first["name"]?.string == "api_key" && first["use"]?.bool == true)
    }

    @Test func `with a name it prints the source, and --copy writes it where a script finds it`() async throws
    {
        let source = try TextFile.read("Sources/CPlugins/modules/basic.lua")
        #expect(await run("basic").output == source)
        let copy = await run("basic", "--copy")
        #expect(copy.code == 0 && copy.output == "resthost/basic.lua\n")
        #expect(try TextFile.read(folder.path + "/resthost/basic.lua") == source)
        let again = await run("basic", "--copy")
        #expect(again.code == 2 && again.errors.contains("'resthost/basic.lua' is there already"))
        folder.write(
            "main.lua",
            """
            local api = require("resthost").service { base_url = "https://api.test" }
            api:use("basic", { username = "a", password = "b" })
            """)
        folder.write("resthost/basic.lua", "error('the copy runs')")
        let check = await ChildProcess([BuiltProgram.path, "check", "main.lua"], in: folder.path).end()
        #expect(check.code == 2 && check.errors.contains("resthost/basic.lua:1: error: the copy runs"))
    }

    @Test func `a wrong name is an error with the nearest one`() async {
        let wrong = await run("basik")
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("there is no plugin 'basik': did you mean 'basic'?"))
        #expect(await run("--copy").code == 2)
    }
}
