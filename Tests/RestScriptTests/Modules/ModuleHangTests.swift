import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Modules that run a function which can't be ended.
@Suite(.leakChecked) @EngineActor
struct ModuleHangTests {
    @Test func `a module that hangs is given up; its request fails and others go on`() async throws {
        let fixture = try ModuleFixture([
            "m":
                "local gate = require 'test.gate' return function(c, e) if e.content_kind == 'json' then gate() end return 'ok' end"
        ])
        let gate = Checkpoint()
        fixture.install(gate)
        let watchdog = LuaWatchdog(lookingEvery: nil)
        fixture.script.options.watchdog = watchdog
        try fixture.load(
            """
            api:configure_transformer("**", "m")
            rest.spawn(function()
              local _, err = api:resource("json"):get()
              print(err.cause.type, err.cause.budget, err.cause.message, err.http_status_code)
              print(api:resource("text"):get())
            end)
            """)
        gate.waitForArrival()
        watchdog.look(at: 1_000_000)
        watchdog.look(at: 1_000_001.5)
        await fixture.settle()
        let message =
            "the transformer of module 'm' hangs in a function that no limit can end: it was given up after 1.5 s, "
            + "with its Lua state; a new one takes its place"
        #expect(
            fixture.take() == ["error: \(message)", "script_limit\ttime\t\(message)\t200", "ok"])
        gate.open()
        await fixture.close()
    }

    private func text(_ error: RequestError?) -> String { error.map { "\($0)" } ?? "none" }

    @Test func `when too many threads hang, the module that does it fails at once, and others go on`()
        async throws
    {
        let fixture = try ModuleFixture([
            "m": "local gate = require 'test.gate' return function(c) gate() return 'ok' end",
            "good": "return function(c) return 'good' end",
        ])
        let gate = Checkpoint()
        fixture.install(gate)
        let watchdog = LuaWatchdog(lookingEvery: nil)
        fixture.script.options.watchdog = watchdog
        fixture.script.options.lostThreads = LostThreads(limit: 2)
        try fixture.load(
            """
            api:configure_transformer("json", "m")
            api:configure_transformer("text", "good")
            """)
        let service = try #require(fixture.script.host?.service(named: "api"))
        var now = 1_000_000.0
        let expected =
            "the module 'm' is not run any more: 2 threads hang in functions that no limit can end; repair it, and restart the host to end them"
        for round in 1...2 {
            let load = service.resource("json").load()
            fixture.script.settle()
            gate.waitForArrival()
            #expect(fixture.script.host?.stalledModules == nil)
            // This load waits behind it, and is the first job of the thread that replaces the hanging one.
            let next = round == 2 ? service.resource("json").withParam("next", ["1"]).load() : nil
            fixture.script.settle()
            watchdog.look(at: now)
            now += 2
            watchdog.look(at: now)
            await fixture.settle()
            #expect(load.info?.response.error?.code == "script_limit")
            if let next {
                let said = text(next.info?.response.error)
                #expect(said.contains(expected))
            }
        }
        #expect(fixture.script.host?.stalledModules == expected)
        let refused = service.resource("json").load()
        fixture.script.settle()
        await fixture.settle()
        let said = text(refused.info?.response.error)
        #expect(said.contains(expected))
        let good = service.resource("text").load()
        fixture.script.settle()
        await fixture.settle()
        #expect(good.info?.response.entity?.content.text == "good")
        for _ in 1...2 { gate.open() }
        _ = fixture.take()
        await fixture.close()
    }
}
