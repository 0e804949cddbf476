import LuaRuntime
import Testing

@Suite struct HostObjectTests {
    let fixture = Fixture()
    let thing = Thing()

    init() {
        let luaClass = Thing.makeClass()
        fixture.define("thing", thing, class: luaClass)
        let thing = thing
        fixture.define("same") { arguments in
            arguments.lua.push(object: thing, class: luaClass)
            return .results(1)
        }
        fixture.define("other") { arguments in
            arguments.lua.push(object: Thing(thing.census), class: luaClass)
            return .results(1)
        }
    }

    @Test func `methods and fields work`() throws {
        #expect(try fixture.run("return thing:grow(2).size") == "5")
        #expect(try fixture.run("thing.size = 9 return thing.size .. thing.kind") == "9plain")
        #expect(try fixture.run("return tostring(thing)") == "thing of size 9")
    }

    @Test func `one object is one value`() throws {
        #expect(try fixture.run("local t = { [thing] = 'x' } return t[same()]") == "x")
        #expect(try fixture.run("return thing == same() and thing ~= other()") == "true")
    }

    @Test(arguments: [
        ("return thing.sise", "unknown field 'sise' on thing: did you mean 'size'?"),
        ("return thing.zzzzzz", "unknown field 'zzzzzz' on thing"),
        ("thing.kind = 1", "field 'kind' of thing is read only"),
        ("thing.grow = 1", "field 'grow' of thing is read only"),
        ("thing.grew = 1", "unknown field 'grew' on thing: did you mean 'grow'?"),
        ("return thing[1]", "a thing has no field of type number"),
        ("thing.size = 'x'", "bad value for 'size' of thing (integer expected, got string)"),
        ("thing:grow('x')", "bad argument #1 'by' to 'grow' (integer expected, got string)"),
        ("thing:grow(1.5)", "bad argument #1 'by' to 'grow' (number has no integer representation)"),
        ("thing.grow(1)", "bad object for 'grow' (thing expected, got number); call it as thing:grow(…)"),
    ])
    func `a wrong use is named with its place`(source: String, message: String) throws {
        let error = try #require(fixture.failure(of: "local x = 1\n" + source))
        #expect(error.message == message)
        #expect(error.description == "test.lua:2: \(message)")
        #expect(error.kind == .runtime)
    }

    @Test func `the metatable is out of reach`() throws {
        #expect(try fixture.run("return getmetatable(thing)") == "false")
        let error = fixture.failure(of: "setmetatable(thing, {})")
        #expect(error?.message.contains("table expected") == true)
    }

    @Test func `a state that is dropped is freed, though its objects have properties that can be set`() {
        weak var state: LuaState?
        do {
            let fixture = Fixture()
            fixture.define("thing", Thing(), class: Thing.makeClass())
            state = fixture.state
            #expect(state != nil)
        }
        #expect(state == nil)
    }

    @Test func `objects are released when nobody refers to them`() throws {
        try fixture.run("for i = 1, 100 do other() end")
        fixture.state.collectGarbage()
        fixture.state.collectGarbage()
        #expect(thing.census.alive == 1)
    }
}
