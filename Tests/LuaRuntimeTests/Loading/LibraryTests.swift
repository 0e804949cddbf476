import LuaRuntime
import Platform
import TestSupport
import Testing

private enum DebianLibraries {
    /// The folder of 5.4 doesn't have lua-inspect.
    static let folders = ["/usr/share/lua/5.4", "/usr/share/lua/5.3"]

    static var areInstalled: Bool {
        ["5.4/pl/List.lua", "5.4/dkjson.lua", "5.3/inspect.lua"].allSatisfy {
            access("/usr/share/lua/\($0)", R_OK) == 0
        }
    }
}

/// Common libraries in plain Lua, from Debian's folders.
@Suite(
    .enabled(
        if: DebianLibraries.areInstalled,
        "lua-penlight, lua-inspect and lua-dkjson are not installed: scripts/bootstrap does it on Debian"))
final class LibraryTests {
    private let files = TemporaryFolder()
    private lazy var fixture = Fixture(searchRoots: [files.path] + DebianLibraries.folders)

    private static let penlight = """
        List Map MultiMap OrderedMap Set array2d class compat comprehension config data func import_into input lapp lexer \
        luabalanced operator permute pretty seq sip strict stringio stringx tablex template types url utils
        """

    @Test(arguments: penlight.split(separator: " ").map(String.init))
    func `a module of Penlight loads`(name: String) throws {
        try fixture.run("require 'pl.\(name)'")
        #expect(fixture.state.close().isClean)
    }

    @Test func `Penlight works, also once globals are frozen`() throws {
        let source = """
            local List, tablex, stringx = require "pl.List", require "pl.tablex", require "pl.stringx"
            local pretty, class, OrderedMap = require "pl.pretty", require "pl.class", require "pl.OrderedMap"
            local template, sip = require "pl.template", require "pl.sip"
            local Animal = class()
            function Animal:_init(name) self.name = name end
            local Dog = class(Animal)
            function Dog:speak() return self.name .. " barks" end
            local fields = {}
            assert(sip.match("$v{name} = $d{number}", "answer = 42", fields))
            return table.concat({
              tostring(List { 3, 1, 2 }:sort():map(function(x) return x * 2 end)),
              table.concat(tablex.keys { a = 1 }), stringx.strip("  x ") .. stringx.split("a,b", ",")[2],
              pretty.write({ 1, a = { true } }, ""), Dog("Rex"):speak(),
              template.substitute("$(x)!", { x = 5 }), fields.name .. fields.number,
            }, " | ")
            """
        let expected = "{2,4,6} | a | xb | {1,a={true}} | Rex barks | 5! | answer42"
        #expect(try fixture.run(source) == expected)
        try fixture.state.mainSandbox.freezeGlobals()
        #expect(try fixture.run(source) == expected)
        #expect(fixture.printed.isEmpty)
    }

    @Test func `what needs a module in C says so`() throws {
        let error = try #require(fixture.failure(of: "require 'pl.path'"))
        #expect(error.message == "pl.path requires LuaFileSystem")
        let missing = try #require(fixture.failure(of: "require 'dkjson'.use_lpeg()"))
        #expect(
            missing.message.contains("'lpeg' is written in C, and C modules are not loaded"), "\(missing)")
    }

    @Test func `inspect and dkjson work`() throws {
        #expect(
            try fixture.run("return require 'inspect' ({ 1, a = { 'b' } })") == "{ 1,\n  a = { \"b\" }\n}")
        let source = """
            local json = require "dkjson"
            local text = json.encode({ a = { 1, 2.5, true, json.null } }, { keyorder = { "a" } })
            local value, position, message = json.decode('{"x":[1,{"y":"\\\\u00e4"}]}')
            return text .. value.x[2].y .. tostring(select(3, json.decode("{")))
            """
        #expect(try fixture.run(source).hasPrefix(#"{"a":[1,2.5,true,null]}ä"#))
    }
}
