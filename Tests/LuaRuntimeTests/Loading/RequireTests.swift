import LuaRuntime
import Platform
import TestSupport
import Testing

@Suite final class RequireTests {
    let files = TemporaryFolder()

    @Test func `modules are found below the roots, once`() throws {
        files.write("app/a.lua", "count = (count or 0) + 1 return { name = ... , inner = require 'lib.b' }")
        files.write("app/lib/b/init.lua", "return 'b'")
        files.write("more/c.lua", "")
        let fixture = Fixture(searchRoots: [files.path + "/app", files.path + "/more"])
        var loaded: [String] = []
        fixture.state.mainSandbox.onFileLoaded = { loaded.append($0) }
        #expect(
            try fixture.run(
                "local a = require 'a' return a.name .. a.inner .. tostring(a == require 'a') .. count")
                == "abtrue1")
        #expect(try fixture.run("return require 'c'") == "true")
        #expect(
            loaded.map { $0.dropFirst(files.path.count) } == [
                "/app/a.lua", "/app/lib/b/init.lua", "/more/c.lua",
            ])
    }

    @Test func `the host gives modules of its own`() throws {
        let fixture = Fixture()
        fixture.state.mainSandbox.preload("host") { $0.push("from Swift") }
        #expect(try fixture.run("return require 'host'") == "from Swift")
    }

    @Test func `a circle is reported by its names`() throws {
        files.write("a.lua", "require 'b'")
        files.write("b.lua", "require 'a'")
        let fixture = Fixture(searchRoots: [files.path])
        let error = try #require(fixture.failure(of: "require 'a'"))
        #expect(
            error.message
                == "module 'a' requires itself: a → b → a: move what both need to a third, or require it inside the "
                + "function that uses it")
        #expect(error.file == files.path + "/b.lua")
    }

    @Test(arguments: ["../x", "/etc/passwd", "a/b", "..", "a..b", "", "a\\0b", ".a", "a."])
    func `names that leave the roots are refused`(name: String) throws {
        files.write("x.lua", "return 1")
        let fixture = Fixture(searchRoots: [files.path + "/inner"])
        let error = try #require(fixture.failure(of: "require '\(name)'"))
        #expect(error.message.contains("is not allowed"))
    }

    @Test func `a link that leads out is not followed`() throws {
        files.write("secret.lua", "return 'secret'")
        files.write("app/x.lua", "")
        files.link("app/leak.lua", to: files.path + "/secret.lua")
        let fixture = Fixture(searchRoots: [files.path + "/app"])
        let error = try #require(fixture.failure(of: "require 'leak'"))
        #expect(
            error.message.hasSuffix(
                "; '\(files.path)/app/leak.lua' is a link that leads out of '\(files.path)/app'"))
    }

    @Test func `links in the other folders are followed, and to them`() throws {
        files.write("app/x.lua", "")
        files.write("real/a.lua", "return 'a'")
        files.write("lib/x.lua", "")
        files.link("lib/a.lua", to: files.path + "/real/a.lua")
        files.write("lib/b.lua", "return 'b'")
        files.link("app/b.lua", to: files.path + "/lib/b.lua")
        let fixture = Fixture(searchRoots: [files.path + "/app", files.path + "/lib"])
        #expect(try fixture.run("return require 'a' .. require 'b'") == "ab")
    }

    @Test(.timeLimit(.minutes(1))) func `what is no file is not read`() throws {
        files.write("app/x.lua", "")
        #expect(mkfifo(files.path + "/app/pipe.lua", 0o600) == 0)
        let fixture = Fixture(searchRoots: [files.path + "/app"])
        let error = try #require(fixture.failure(of: "require 'pipe'"))
        #expect(error.message.contains("/pipe.lua' can't be read: it is no regular file"))
    }

    @Test
    func `a byte order mark and a line for the system's loader are skipped, and lines keep their numbers`()
        throws
    {
        files.write("a.lua", "\u{FEFF}return 'a'")
        files.write("b.lua", "#!/usr/bin/env lua\nreturn 'b'")
        files.write("c.lua", "\u{FEFF}#!/usr/bin/env lua\nerror('c')")
        files.write("d.lua", "#")
        let fixture = Fixture(searchRoots: [files.path])
        #expect(try fixture.run("return require 'a' .. require 'b' .. tostring(require 'd')") == "abtrue")
        #expect(try #require(fixture.failure(of: "require 'c'")).line == 2)
        files.write("e.lua", bytes: Array("#\n\u{1B}Lua".utf8))
        #expect(fixture.failure(of: "require 'e'") != nil)
    }

    @Test func `a file that is too long is named so`() throws {
        files.write("long.lua", "")
        files.resize("long.lua", to: (16 << 20) + 1)
        let error = try #require(Fixture(searchRoots: [files.path]).failure(of: "require 'long'"))
        #expect(error.message.contains("/long.lua' can't be read: it has more than 16 MiB"))
    }

    @Test func `a missing module names the places`() throws {
        let fixture = Fixture(searchRoots: [files.path])
        let error = try #require(fixture.failure(of: "require 'a.b'"))
        #expect(error.message == "module 'a.b' not found: no a/b.lua or a/b/init.lua in '\(files.path)'")
        #expect(
            Fixture().failure(of: "require 'a'")?.message
                == "module 'a' not found: there is no folder to search")
    }

    @Test func `a module in C is named as such`() throws {
        let fixture = Fixture(searchRoots: ["/nowhere"])
        let error = try #require(fixture.failure(of: "require 'lpeg'"))
        #expect(
            error.message
                == "module 'lpeg' not found: no lpeg.lua or lpeg/init.lua in '/nowhere'; 'lpeg' is written in C, "
                + "and C modules are not loaded: use one that is written in Lua")
        #expect(
            try #require(fixture.failure(of: "require 'socket.http'")).message.contains(
                "'socket' is written in C"))
    }

    @Test func `an error in a module keeps its place`() throws {
        files.write("bad.lua", "\nerror('broken')")
        files.write("worse.lua", "local = 1")
        let fixture = Fixture(searchRoots: [files.path])
        #expect(fixture.failure(of: "require 'bad'")?.description == "\(files.path)/bad.lua:2: broken")
        let error = try #require(fixture.failure(of: "require 'worse'"))
        #expect(error.file == files.path + "/worse.lua")
        #expect(error.line == 1)
    }
}
