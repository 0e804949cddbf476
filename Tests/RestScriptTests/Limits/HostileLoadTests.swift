import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Loads hostile scripts as files, beside a host that goes on.
@EngineActor
@Suite struct HostileLoadTests {
    @Test(arguments: WholeRun.part(HostileScript.all, oneIn: 9))
    func `it does not load, says why, and leaves nothing`(script: HostileScript) throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.load] = .init(burst: 0.2)
        fixture.options.memoryLimit = 32 << 20
        let error = fixture.failure(
            of: script.source,
            prelude: "local rest = require 'resthost' local wait = function() rest.sleep(0) end\n")
        let failure = try #require(error, "no error")
        #expect(failure.file != nil && failure.line != nil)
        #expect(failure.message.utf8.count < 20_000)
        // A script that uses `rest` may fail for another reason while it is loaded.
        if !script.needsRest {
            let texts = ["budget": "of CPU time", "memory": "not enough memory", "wait": "cannot wait here"]
            #expect(
                script.kinds.contains { failure.message.contains(texts[$0] ?? script.message) },
                "\(failure.message)")
        }
    }
}
