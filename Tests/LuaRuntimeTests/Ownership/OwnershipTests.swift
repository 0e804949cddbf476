import Testing

@testable import LuaRuntime

@Suite struct OwnershipTests {
    let fixture = Fixture()
    /// Counts the owning tables, by their attachments.
    let owners = Thing.Census()
    let census = Thing.Census()
    private let thingClass = Thing.makeClass()

    private var lua: Lua { fixture.state.main }

    /// Runs a chunk; returns a weak reference to its first result, which the other results hold.
    private func held(_ source: String) throws -> LuaWeakReference {
        let height = lua.top
        lua.push(try fixture.state.compile(source, chunk: "test.lua"))
        try lua.call(arguments: 0, results: Lua.allResults, phase: Fixture.phase)
        defer { lua.setTop(height) }
        let reference = lua.weakReference(height + 1)
        for owner in stride(from: height + 2, through: lua.top, by: 1) {
            if lua.type(owner) == .table, lua.attachment(owner, as: Thing.self) == nil {
                lua.attach(Thing(owners), of: owner)
            }
            #expect(lua.hold(reference, by: owner))
        }
        return reference
    }

    /// The result of the referenced function; nil if the function is gone.
    private func result(of reference: LuaWeakReference) throws -> String? {
        guard lua.push(reference) else { return nil }
        try lua.call(arguments: 0, results: 1, phase: Fixture.phase)
        defer { lua.pop() }
        return try lua.tostring(-1)
    }

    private func collect() { fixture.state.collectGarbage() }

    /// Makes `thing` a global function that returns a new thing.
    private func defineThings() {
        fixture.define("thing") { [census, thingClass] arguments in
            arguments.lua.push(object: Thing(census), class: thingClass)
            return .results(1)
        }
    }

    @Test func `a weak reference keeps nothing`() throws {
        let reference = try held("local x = {} return function() return x end")
        collect()
        #expect(!lua.push(reference))
        #expect(lua.top == 0)
    }

    @Test func `a value lives as long as its owner, and can be reached once that is dead`() throws {
        let reference = try held("owner = {} return function() return 'here' end, owner")
        collect()
        #expect(try result(of: reference) == "here")
        #expect(owners.alive == 1)
        try fixture.run("owner = nil")
        collect()
        #expect(owners.alive == 0)
        #expect(try result(of: reference) == "here")
        collect()
        #expect(try result(of: reference) == "here")
    }

    @Test func `a value that refers to its owner keeps neither`() throws {
        let reference = try held(
            "local owner = { name = 'me' } return function() return owner.name end, owner")
        collect()
        #expect(owners.alive == 0)
        #expect(try result(of: reference) == "me")
    }

    @Test func `what departed goes when Swift lets go of it`() throws {
        var reference: LuaWeakReference? = try held(
            "local owner = {} weak = setmetatable({ [owner] = true }, { __mode = 'k' }) return function() return owner end, owner"
        )
        collect()
        #expect(lua.push(try #require(reference)))
        lua.pop()
        collect()
        #expect(try fixture.run("return next(weak) ~= nil") == "true")
        reference = nil
        collect()
        #expect(try fixture.run("return next(weak)") == "nil")
    }

    @Test func `what Swift lets go of leaves its living owner too`() throws {
        var reference: LuaWeakReference? = try held(
            "owner = {} local x = {} weak = setmetatable({ x }, { __mode = 'v' }) return function() return x end, owner"
        )
        collect()
        #expect(try fixture.run("return weak[1] ~= nil") == "true")
        _ = reference
        reference = nil
        collect()
        #expect(try fixture.run("return weak[1]") == "nil")
    }

    @Test func `several owners, the last one counts, and none keeps another`() throws {
        let reference = try held(
            "a, b = {}, {} local own = { a, b } weak = setmetatable({ [a] = 'a', [b] = 'b' }, { __mode = 'k' }) return function() return #own end, a, b"
        )
        try fixture.run("a = nil")
        collect()
        #expect(owners.alive == 2, "the value refers to both, and lives by the other")
        try fixture.run("b = nil")
        collect()
        #expect(owners.alive == 0)
        #expect(try result(of: reference) == "2")
    }

    @Test func `a value may be held again when its owner is dead`() throws {
        let reference = try held("local t = {} return function() return 'here' end, t")
        collect()
        #expect(lua.push(reference))
        try fixture.run("owner = {}")
        lua.pushGlobals()
        lua.rawGet(-1, "owner")
        lua.attach(Thing(owners), of: -1)
        let again = lua.weakReference(1)
        #expect(lua.hold(again, by: -1))
        lua.setTop(0)
        collect()
        #expect(try result(of: again) == "here")
    }

    @Test func `an attachment lives exactly as long as its table`() throws {
        try fixture.run("t = {}")
        lua.pushGlobals()
        lua.rawGet(-1, "t")
        lua.attach(Thing(owners), of: -1)
        #expect(lua.attachment(-1, as: Thing.self)?.size == 3)
        lua.setTop(0)
        collect()
        #expect(owners.alive == 1)
        try fixture.run("t = nil")
        collect()
        #expect(owners.alive == 0)
    }

    @Test func `only tables with an attachment and host objects own`() throws {
        try fixture.run("f, t = function() end, {}")
        lua.pushGlobals()
        lua.rawGet(-1, "f")
        lua.rawGet(1, "t")
        let reference = lua.weakReference(2)
        #expect(!lua.hold(reference, by: 2))
        #expect(!lua.hold(reference, by: 3))
        lua.push("text")
        #expect(!lua.hold(reference, by: -1))
        #expect(lua.attachment(-1, as: Thing.self) == nil)
        #expect(lua.top == 4)
    }

    // MARK: Host objects

    @Test func `what a departed value refers to is whole`() throws {
        defineThings()
        let reference = try held(
            "local owner, t, grow = {}, thing(), thing().grow return function() return t:grow(2).size end, owner"
        )
        collect()
        #expect(owners.alive == 0)
        #expect(try result(of: reference) == "5")
        collect()
        #expect(try result(of: reference) == "7")
    }

    @Test func `a host object owns while Swift holds it, though no script does`() throws {
        defineThings()
        let reference = try held(
            "local t, other = thing(), thing() last = t return function() return t.size + other.size end, t")
        lua.pushGlobals()
        lua.rawGet(-1, "last")
        var swift: Thing? = lua.object(-1, as: Thing.self)
        lua.setTop(0)
        try fixture.run("last = nil")
        for _ in 0..<5 {
            collect()
            #expect(try result(of: reference) == "6")
        }
        #expect(swift?.size == 3)
        swift = nil
        collect()
        #expect(census.alive == 1, "the owner is gone, what the value refers to beside it is not")
    }

    @Test func `a host object that Swift gets back owns again`() throws {
        defineThings()
        let reference = try held("t = thing() local t = t return function() return t.size end, t")
        // Only the script holds it when the collector looks.
        collect()
        lua.pushGlobals()
        lua.rawGet(-1, "t")
        var swift: Thing? = lua.object(-1, as: Thing.self)
        lua.setTop(0)
        try fixture.run("t = nil")
        for _ in 0..<3 {
            collect()
            #expect(try result(of: reference) == "3")
        }
        #expect(swift?.size == 3)
        swift = nil
        collect()
        #expect(census.alive == 0)
    }

    @Test func `a host object and what it owns are one value for the script throughout`() throws {
        let thing = Thing(census)
        let luaClass = thingClass
        fixture.define("same") { arguments in
            arguments.lua.push(object: thing, class: luaClass)
            return .results(1)
        }
        let reference = try held("local t = same() return function() return t == same() end, t")
        for _ in 0..<50 {
            // Runs small steps of the collector, with finalizers between them.
            try fixture.run("for i = 1, 300 do local x = { {}, {} } end")
            #expect(try result(of: reference) == "true")
        }
    }

    @Test func `collectGarbage releases objects with owners about as without`() throws {
        defineThings()
        try fixture.run("for i = 1, 100 do thing() end")
        collect()
        #expect(census.alive == 0)
        let reference = try held("owner = {} return function() end, owner")
        for _ in 0..<3 {
            try fixture.run("for i = 1, 100 do thing() end")
            collect()
            #expect(census.alive == 0)
        }
        #expect(lua.push(reference))
        lua.pop()
    }

    @Test func `with owners the collector's own steps release objects too`() throws {
        defineThings()
        let reference = try held("owner = {} return function() end, owner")
        try fixture.run("for i = 1, 20000 do thing() local x = { {}, {}, {} } end")
        #expect(census.alive < 10000)
        #expect(lua.push(reference))
        lua.pop()
    }

    // MARK: Ends

    @Test func `nothing is left when the state closes`() throws {
        defineThings()
        for source in [
            "owner = {} return function() end, owner", "local o = {} return function() return o end, o",
            "object = thing() return function() return object end, object",
            "local t = thing() return function() return t end, t",
        ] { _ = try held(source) }
        collect()
        _ = try held("local o = {} return function() return o end, o")
        _ = try held("local t = thing() return function() return t end, t")
        let report = fixture.state.close()
        #expect(report.isClean, "\(report)")
        #expect(census.alive == 0 && owners.alive == 0)
    }

    @Test func `owners may die while memory is short`() throws {
        defineThings()
        for step in 1..<60 {
            let reference = try held(
                "local o, t, u = {}, thing(), thing() return function() return t.size end, o, u")
            fixture.state.refuseAllocation(step)
            _ = fixture.failure(of: "local all = {} for i = 1, 200 do all[i] = { tostring(i) } end")
            fixture.state.refuseAllocation(0)
            collect()
            #expect(owners.alive == 0)
            #expect(try result(of: reference) == "3")
        }
        collect()
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }
}
