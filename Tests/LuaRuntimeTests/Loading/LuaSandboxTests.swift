import LuaRuntime
import TestSupport
import Testing

@Suite final class LuaSandboxTests {
    let files = TemporaryFolder()

    /// Runs a chunk in a sandbox; returns its first result as text.
    private func run(_ source: String, in sandbox: LuaSandbox) throws -> String {
        let lua = sandbox.state.main
        lua.push(try sandbox.compile(source, chunk: "sandbox.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        defer { lua.pop() }
        return try lua.tostring(-1)
    }

    @Test(arguments: [
        "x = 1", "_G.x = 1", "rawset(_G, 'x', 1)", "load('x = 1')()", "load('x = 1', 'c', 't')()",
        "local f = load(function() return nil end) x = 1", "_ENV.x = 1",
        "coroutine.wrap(function() x = 1 end)()", "function x() end",
    ])
    func `what a script makes global is its own`(source: String) throws {
        let fixture = Fixture()
        let first = fixture.state.makeSandbox()
        let second = fixture.state.makeSandbox()
        _ = try run(source, in: first)
        #expect(try run("return x ~= nil and _G.x ~= nil and load('return x')() ~= nil", in: first) == "true")
        #expect(try run("return rawget(_G, 'x')", in: second) == "nil")
        #expect(try fixture.run("return rawget(_G, 'x')") == "nil")
        #expect(try run("return _G._G == _G", in: second) == "true")
        fixture.state.close()
    }

    @Test(arguments: ["table", "math", "utf8", "coroutine", "os", "io", "debug"])
    func `what a script adds to a library is its own`(library: String) throws {
        let fixture = Fixture()
        let first = fixture.state.makeSandbox()
        let second = fixture.state.makeSandbox()
        _ = try run("\(library).added = 1", in: first)
        #expect(try run("return \(library).added", in: first) == "1")
        #expect(try run("return \(library).added", in: second) == "nil")
        #expect(try fixture.run("return \(library).added") == "nil")
    }

    @Test func `a sandbox has all that the main one has`() throws {
        let fixture = Fixture()
        let names = """
            local names = {}
            local function list(t, path, depth)
              for k, v in pairs(t) do
                names[#names + 1] = path .. k .. ":" .. type(v)
                if type(v) == "table" and depth < 2 and v ~= _G then list(v, path .. k .. ".", depth + 1) end
              end
            end
            list(_G, "", 1)
            table.sort(names)
            return table.concat(names, " ")
            """
        #expect(try run(names, in: fixture.state.makeSandbox()) == fixture.run(names))
    }

    @Test func `a sandbox begins without what the main one was given`() throws {
        let fixture = Fixture()
        try fixture.run("table.added, print = 1, nil")
        let sandbox = fixture.state.makeSandbox()
        #expect(try run("return tostring(table.added) .. type(print)", in: sandbox) == "nilfunction")
    }

    @Test func `methods of strings are shared`() throws {
        let fixture = Fixture()
        let sandbox = fixture.state.makeSandbox()
        _ = try run("function string.trim(s) return s:match('^%s*(.-)%s*$') end", in: sandbox)
        #expect(try run("return (' a '):trim()", in: sandbox) == "a")
    }

    @Test func `an environment that a script gives wins`() throws {
        let fixture = Fixture()
        let sandbox = fixture.state.makeSandbox()
        #expect(try run("x = 1 return load('return x', 'c', 't', { x = 2 })()", in: sandbox) == "2")
        #expect(try run("return pcall(load('return tostring(1)', 'c', 't', nil))", in: sandbox) == "false")
        #expect(try run("return load(string.char(27) .. 'Lua')", in: sandbox) == "nil")
        sandbox.close()
        #expect(fixture.state.close().isClean)
    }

    @Test func `modules are loaded once for each sandbox, with its globals`() throws {
        files.write("one/m.lua", "count = (count or 0) + 1 return { count = count, file = select(2, ...) }")
        files.write("two/m.lua", "count = (count or 10) + 1 return { count = count }")
        let fixture = Fixture()
        let first = fixture.state.makeSandbox(searchRoots: [files.path + "/one"])
        let second = fixture.state.makeSandbox(searchRoots: [files.path + "/two"])
        var loaded: [String] = []
        first.onFileLoaded = { loaded.append($0) }
        second.preload("host") { $0.push("second's") }
        let source = "return require('m').count .. (require('m') == require('m') and 'once' or '') .. count"
        #expect(try run(source, in: first) == "1once1")
        #expect(try run(source, in: second) == "11once11")
        #expect(try run("return require 'host'", in: second) == "second's")
        #expect(throws: LuaError.self) { try run("require 'host'", in: first) }
        #expect(throws: LuaError.self) { try fixture.run("require 'm'") }
        #expect(loaded == [files.path + "/one/m.lua"])
    }

    @Test func `output and environment are the sandbox's`() throws {
        let fixture = Fixture()
        var printed = ""
        let sandbox = fixture.state.makeSandbox(
            output: { printed += String(decoding: $0, as: UTF8.self) }, environment: { "\($0) of sandbox" })
        _ = try run("print(os.getenv 'A') io.write('b')", in: sandbox)
        #expect(printed == "A of sandbox\nb")
        #expect(fixture.printed.isEmpty)
        #expect(try fixture.run("return os.getenv 'A'") == "nil")
    }

    @Test func `values and functions pass between sandboxes`() throws {
        let fixture = Fixture()
        let sandbox = fixture.state.makeSandbox()
        let lua = fixture.state.main
        lua.push(
            try sandbox.compile(
                "mine = 5 return function() mine = mine + 1 return mine end", chunk: "sandbox.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        lua.pushGlobals()
        lua.insert(-2)
        lua.rawSet(-2, "f")
        lua.pop()
        #expect(try fixture.run("return f() .. f() .. tostring(mine)") == "67nil")
        sandbox.close()
        #expect(try fixture.run("return f()") == "8")
    }

    @Test func `closing a sandbox ends what it has waiting, and nothing else`() throws {
        let fixture = Fixture()
        fixture.define("wait") { _ in .suspend { fixture.later.append($0) } }
        let wait = fixture.state.main
        let sandbox = fixture.state.makeSandbox()
        sandbox.pushGlobals(on: wait)
        wait.pushGlobals()
        wait.rawGet(-1, "wait")
        wait.rawSet(-3, "wait")
        wait.pop(2)
        var ends: [String] = []
        func start(_ sandbox: LuaSandbox, _ name: String) throws {
            sandbox.spawn(try sandbox.compile("wait()", chunk: "a.lua"), phase: Fixture.phase) { _, result in
                if case .failure(let error) = result {
                    ends.append("\(name) \(error.kind)")
                } else {
                    ends.append(name)
                }
            }
        }
        try start(sandbox, "guest")
        try start(fixture.state.mainSandbox, "main")
        sandbox.close()
        sandbox.close()
        #expect(ends == ["guest cancelled"])
        for waiter in fixture.later { waiter.resume { _ in 0 } }
        #expect(ends == ["guest cancelled", "main"])
        #expect(throws: LuaError.self) { try self.run("require 'x'", in: sandbox) }
        fixture.later = []
        #expect(fixture.state.close().isClean)
    }

    @Test func `a closed sandbox's memory comes back`() throws {
        let fixture = Fixture()
        func round() throws {
            let sandbox = fixture.state.makeSandbox()
            _ = try run("t = {} for i = 1, 1000 do t[i] = { i } end function f() return t end", in: sandbox)
            sandbox.close()
        }
        func used() -> Int {
            fixture.state.collectGarbage()
            fixture.state.collectGarbage()
            return fixture.state.memoryUsed
        }
        try round()
        let before = used()
        for _ in 0..<20 { try round() }
        #expect(used() - before < 4096)
        #expect(fixture.state.close().isClean)
    }

    @Test func `a class of a script that has ended can be forgotten`() throws {
        let fixture = Fixture()
        let kept = LuaClass(
            "kept",
            properties: [
                LuaProperty("n", type: "integer", documentation: "") { call in
                    call.lua.push(1)
                    return .results(1)
                }
            ])
        fixture.define("thing", Thing(), class: kept)
        fixture.state.unregister([kept])
        #expect(try fixture.run("return thing.n") == "1")
        fixture.define("other", Thing(), class: kept)
        #expect(try fixture.run("return other.n + thing.n") == "2")
        #expect(fixture.state.close().isClean)
    }
}
