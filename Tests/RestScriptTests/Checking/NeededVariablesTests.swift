import RestEngine
import TestSupport
import Testing

@testable import RestScript

@EngineActor
@Suite(.leakChecked)
struct NeededVariablesTests {
    @Test(arguments: [
        (#"x = "Bearer " .. rest.env.TOKEN"#, ["1 TOKEN"]), (#"x = "a" .. rest.env["TOKEN"]"#, ["1 TOKEN"]),
        ("\nx = os.getenv 'TOKEN' .. 'a'", ["2 TOKEN"]), ("x = os.getenv('TOKEN'):upper()", ["1 TOKEN"]),
        ("x = lib.env.A .. lib.env.B .. lib.env.A", ["1 A", "1 B"]),
        ("\nlocal token = rest.env.TOKEN\nx = 'Bearer ' .. token", ["2 TOKEN"]),
    ]) func `what can't do without a variable`(source: String, found: [String]) {
        #expect(NeededVariables(Array(source.utf8)).found.map { "\($0.line) \($0.name)" } == found)
    }

    @Test(arguments: [
        "x = rest.env.TOKEN", "x = (rest.env.TOKEN or 'a') .. 'b'",
        "x = rest.env.TOKEN and 'Bearer ' .. rest.env.TOKEN",
        "if rest.env.TOKEN then x = rest.env.TOKEN .. 'a' end",
        "if rest.env.TOKEN ~= nil then x = rest.env.TOKEN .. 'a' end", "-- rest.env.TOKEN .. 'a'",
        "assert(rest.env.TOKEN) x = rest.env.TOKEN .. 'a'", "x = a.b.env.TOKEN .. 'x'",
        "local token = rest.env.TOKEN if token then x = token .. 'a' end",
        "local token = rest.env.TOKEN token = token or 'b' x = token .. 'a'",
        "local token = rest.env.TOKEN or 'b' x = token .. 'a'",
        "local token = rest.env.TOKEN x = a.token .. 'a'",
    ]) func `what can`(source: String) {
        #expect(NeededVariables(Array(source.utf8)).found.isEmpty)
    }

    private static let source = "api:configure('**', function(c) c.headers.X = 'a' .. rest.env.TOKEN end)"

    @Test func `a script whose variable is not set does not start`() throws {
        let fixture = ScriptFixture()
        fixture.options.grantedEnvironment = ["TOKEN"]
        let error = fixture.failure(of: Self.source)
        #expect(error?.code == "unset_variable" && error?.line == 1)
        #expect(error?.message == "the environment variable 'TOKEN' is not set, and the script needs it")
        #expect(error?.hint?.contains("write (rest.env.TOKEN or \"…\")") == true)
        fixture.close()

        let set = ScriptFixture()
        set.options.grantedEnvironment = ["TOKEN"]
        set.options.environment = ["TOKEN": "t"]
        try set.load(Self.source)
        set.close()
    }

    @Test func `nor does one whose variable is not granted`() throws {
        let fixture = ScriptFixture()
        let error = fixture.failure(of: Self.source)
        #expect(error?.code == "ungranted_variable")
        #expect(error?.message.hasSuffix("grant it with --allow-env TOKEN") == true)
        fixture.close()
    }
}
