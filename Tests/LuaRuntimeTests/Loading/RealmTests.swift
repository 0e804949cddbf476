import LuaRuntime
import TestSupport
import Testing

@Suite final class RealmTests {
    let files = TemporaryFolder()

    /// Runs a chunk in a realm; its first result as text.
    private func run(_ source: String, in realm: LuaRealm) throws -> String {
        let lua = realm.state.main
        lua.push(try realm.compile(source, chunk: "realm.lua"))
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
        let first = fixture.state.makeRealm()
        let second = fixture.state.makeRealm()
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
        let first = fixture.state.makeRealm()
        let second = fixture.state.makeRealm()
        _ = try run("\(library).added = 1", in: first)
        #expect(try run("return \(library).added", in: first) == "1")
        #expect(try run("return \(library).added", in: second) == "nil")
        #expect(try fixture.run("return \(library).added") == "nil")
    }

    @Test func `a realm has all that the main one has`() throws {
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
        #expect(try run(names, in: fixture.state.makeRealm()) == fixture.run(names))
    }

    @Test func `a realm begins without what the main one was given`() throws {
        let fixture = Fixture()
        try fixture.run("table.added, print = 1, nil")
        let realm = fixture.state.makeRealm()
        #expect(try run("return tostring(table.added) .. type(print)", in: realm) == "nilfunction")
    }

    @Test func `methods of strings are shared`() throws {
        let fixture = Fixture()
        let realm = fixture.state.makeRealm()
        _ = try run("function string.trim(s) return s:match('^%s*(.-)%s*$') end", in: realm)
        #expect(try run("return (' a '):trim()", in: realm) == "a")
    }

    @Test func `an environment that a script gives wins`() throws {
        let fixture = Fixture()
        let realm = fixture.state.makeRealm()
        #expect(try run("x = 1 return load('return x', 'c', 't', { x = 2 })()", in: realm) == "2")
        #expect(try run("return pcall(load('return tostring(1)', 'c', 't', nil))", in: realm) == "false")
        #expect(try run("return load(string.char(27) .. 'Lua')", in: realm) == "nil")
        realm.close()
        #expect(fixture.state.close().isClean)
    }

    @Test func `modules are loaded once for each realm, with its globals`() throws {
        files.write("one/m.lua", "count = (count or 0) + 1 return { count = count, file = select(2, ...) }")
        files.write("two/m.lua", "count = (count or 10) + 1 return { count = count }")
        let fixture = Fixture()
        let first = fixture.state.makeRealm(searchRoots: [files.path + "/one"])
        let second = fixture.state.makeRealm(searchRoots: [files.path + "/two"])
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

    @Test func `output and environment are the realm's`() throws {
        let fixture = Fixture()
        var printed = ""
        let realm = fixture.state.makeRealm(
            output: { printed += String(decoding: $0, as: UTF8.self) }, environment: { "\($0) of realm" })
        _ = try run("print(os.getenv 'A') io.write('b')", in: realm)
        #expect(printed == "A of realm\nb")
        #expect(fixture.printed.isEmpty)
        #expect(try fixture.run("return os.getenv 'A'") == "nil")
    }

    @Test func `values and functions pass between realms`() throws {
        let fixture = Fixture()
        let realm = fixture.state.makeRealm()
        let lua = fixture.state.main
        lua.push(
            try realm.compile(
                "mine = 5 return function() mine = mine + 1 return mine end", chunk: "realm.lua"))
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        lua.pushGlobals()
        lua.insert(-2)
        lua.rawSet(-2, "f")
        lua.pop()
        #expect(try fixture.run("return f() .. f() .. tostring(mine)") == "67nil")
        realm.close()
        #expect(try fixture.run("return f()") == "8")
    }

    @Test func `closing a realm ends what it has waiting, and nothing else`() throws {
        let fixture = Fixture()
        fixture.define("wait") { _ in .suspend { fixture.later.append($0) } }
        let wait = fixture.state.main
        let realm = fixture.state.makeRealm()
        realm.pushGlobals(on: wait)
        wait.pushGlobals()
        wait.rawGet(-1, "wait")
        wait.rawSet(-3, "wait")
        wait.pop(2)
        var ends: [String] = []
        func start(_ realm: LuaRealm, _ name: String) throws {
            realm.spawn(try realm.compile("wait()", chunk: "a.lua"), phase: Fixture.phase) { _, result in
                if case .failure(let error) = result {
                    ends.append("\(name) \(error.kind)")
                } else {
                    ends.append(name)
                }
            }
        }
        try start(realm, "guest")
        try start(fixture.state.mainRealm, "main")
        realm.close()
        realm.close()
        #expect(ends == ["guest cancelled"])
        for waiter in fixture.later { waiter.resume { _ in 0 } }
        #expect(ends == ["guest cancelled", "main"])
        #expect(throws: LuaError.self) { try self.run("require 'x'", in: realm) }
        fixture.later = []
        #expect(fixture.state.close().isClean)
    }

    @Test func `a closed realm's memory comes back`() throws {
        let fixture = Fixture()
        func round() throws {
            let realm = fixture.state.makeRealm()
            _ = try run("t = {} for i = 1, 1000 do t[i] = { i } end function f() return t end", in: realm)
            realm.close()
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
