import LuaRuntime
import TestSupport
import Testing

@Suite final class PackageTests {
    let files = TemporaryFolder()

    private func fixture() -> Fixture { Fixture(searchRoots: [files.path, "/lib"]) }

    @Test func `it tells what libraries ask`() throws {
        let fixture = fixture()
        #expect(try fixture.run("return package.config:sub(1, 1) .. package.cpath") == "/")
        let path = try fixture.run("return package.path")
        #expect(path == "\(files.path)/?.lua;\(files.path)/?/init.lua;/lib/?.lua;/lib/?/init.lua")
        #expect(
            try fixture.run("return tostring(package.loaded.string == string and package.loaded._G == _G)")
                == "true")
        #expect(
            try fixture.run("return tostring(require 'debug' == debug and require 'package' == package)")
                == "true")
    }

    @Test func `what is loaded can be seen, and loaded again`() throws {
        files.write("a.lua", "n = (n or 0) + 1 return { n = n }")
        let fixture = fixture()
        let source = """
            local a = require 'a'
            assert(package.loaded.a == a)
            package.loaded.a = nil
            return a.n .. require 'a'.n
            """
        #expect(try fixture.run(source) == "12")
        fixture.state.mainSandbox.unload("a")
        #expect(try fixture.run("return require 'a'.n") == "3")
    }

    @Test func `a module may put itself among the loaded, or return nothing`() throws {
        files.write("a.lua", "package.loaded[...] = 'mine'")
        files.write("b.lua", "")
        files.write("c.lua", "return false")
        let fixture = fixture()
        #expect(
            try fixture.run("return require 'a' .. tostring(require 'b') .. tostring(require 'c')")
                == "minetruefalse")
    }

    @Test func `functions in preload give modules`() throws {
        let fixture = fixture()
        let source = """
            package.preload["x.y"] = function(...) return { args = table.concat({ ... }, " ") } end
            return require "x.y".args .. tostring(require "x.y" == package.loaded["x.y"])
            """
        #expect(try fixture.run(source) == "x.y :preload:true")
    }

    @Test func `changing the path says that it does nothing`() throws {
        let fixture = fixture()
        let error = try #require(fixture.failure(of: "package.path = './?.lua;' .. package.path require 'a'"))
        #expect(
            error.message.hasSuffix(
                "in '\(files.path)', '/lib'; 'package.path' was changed, which has no effect"))
    }

    @Test func `it is frozen with the rest, and modules still load`() throws {
        files.write("a.lua", "return 'a'")
        let fixture = fixture()
        try fixture.state.mainSandbox.freezeGlobals()
        #expect(
            fixture.failure(of: "package.path = ''")?.message.hasPrefix("cannot change 'package.path'")
                == true)
        #expect(try fixture.run("return require 'a' .. package.loaded.a") == "aa")
    }

    @Test func `a sandbox's frozen string functions are those that are loaded`() throws {
        let state = LuaState()
        let sandbox = state.makeSandbox()
        try sandbox.freezeGlobals()
        let lua = state.main
        lua.push(try sandbox.compile("package.loaded.string.format = nil", chunk: "a.lua"))
        #expect(throws: LuaError.self) { try lua.call(arguments: 0, results: 0, phase: Fixture.phase) }
        sandbox.close()
        #expect(state.close().isClean)
    }
}
