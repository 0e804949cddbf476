import LuaRuntime
import Testing

/// Host objects that are values: they are compared by content, and counted with the bytes that they hold.
@Suite struct HostValueTests {
    let fixture = Fixture()

    private final class Number: LuaObject {
        let value: Int64
        init(_ value: Int64) { self.value = value }
        var keptBytes: Int { 1000 }
    }

    init() {
        let luaClass = LuaClass(
            "number object", equals: { ($0 as? Number)?.value == ($1 as? Number)?.value })
        fixture.define("make") { call in
            call.lua.push(object: Number(try call.integer(1, "value")), class: luaClass)
            return .results(1)
        }
    }

    @Test(arguments: [
        ("make(1) == make(1)", "true"), ("make(1) == make(2)", "false"), ("make(1) ~= make(1)", "false"),
        ("make(1) == 1", "false"), ("rawequal(make(1), make(1))", "false"),
    ]) func `equality is the class's own`(expression: String, result: String) throws {
        #expect(try fixture.run("return tostring(\(expression))") == result)
    }

    @Test func `what an object holds counts as long as the script has it`() throws {
        let before = fixture.state.memoryUsed
        _ = try fixture.run("kept = {} for i = 1, 100 do kept[i] = make(i) end return ''")
        #expect(fixture.state.memoryUsed > before + 100_000)
        _ = try fixture.run("kept = nil return ''")
        fixture.state.collectGarbage()
        #expect(fixture.state.memoryUsed < before + 50_000)
    }
}
