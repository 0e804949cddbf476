import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CronTimerTests {
    private let fixture = ScriptFixture()
    private let folder = TemporaryFolder()

    /// Loads a script with the test's own zones, on a day on which Berlin's clocks go forward: 2026-03-29,
    /// 00:50 UTC.
    private func load(_ source: String, variable: String? = "CET-1CEST,M3.5.0,M10.5.0/3") throws {
        folder.write("Europe/Berlin", bytes: ZoneFile(rule: "CET-1CEST,M3.5.0,M10.5.0/3").bytes)
        folder.write("Broken", "no zone")
        folder.write(
            "tzdata.zi",
            "# version\nR x 1 o - O 1 0 0 -\nZ Europe/Berlin 1 - CET\nL Europe/Berlin Arctic/Longyearbyen\n")
        fixture.options.zones = ZoneFiles(variable: variable)
        fixture.options.zones.folders = [folder.path]
        fixture.options.zones.local = "\(folder.path)/Europe/Berlin"
        fixture.clock.set(1_774_745_400)
        try fixture.load(
            "local start = rest.now() local function say() print((rest.now() - start) / 60) end " + source)
    }

    @Test func `a function runs at the minutes that cron times name, in the local zone`() throws {
        try load("rest.every('*/20 * * * *', say)")
        fixture.advance(3600, step: 30)
        fixture.close()
        // At 02:00 the clock jumps to 03:00.
        #expect(fixture.lines == ["10.0", "30.0", "50.0"])
    }

    @Test(arguments: [nil, ":Europe/Berlin", ":/"])
    func `a skipped hour runs once, where TZ says nothing in the machine's zone`(variable: String?) throws {
        let file = variable == ":/" ? ":\(folder.path)/Europe/Berlin" : variable
        try load("rest.every('30 2 * * *', say)", variable: file)
        fixture.advance(2 * 86_400, step: 600)
        fixture.close()
        #expect(fixture.lines == ["10.0", "1420.0", "2860.0"])
    }

    @Test func `a zone by its name, and UTC`() throws {
        try load(
            "rest.every('0 4 * * *', { zone = 'Europe/Berlin' }, say) rest.every('0 4 * * *', { zone = 'UTC' }, say)",
            variable: "UTC")
        fixture.advance(86_400, step: 600)
        fixture.close()
        #expect(fixture.lines == ["70.0", "190.0"])
    }

    @Test func `a clock that is set has the next time made anew`() throws {
        var times = CronTimes(try CronSchedule("0 * * * *"), .utc)
        times.plan(from: 50 * 60)
        #expect(times.due == 3600 && times.wait(from: 3000, mayJump: true) == 60)
        #expect(times.wait(from: 3000, mayJump: false) == 600 && times.wait(from: 3590, mayJump: true) == 10)
        // First on time; then back by half an hour, so that the hour comes again; then forward over several
        // hours, which counts once.
        let looks = [3060, 3600.5, 1860, 3600, 3601, 20_000, 20_001].map { now in
            let isDue = times.look(at: now)
            return "\(isDue) \(times.due)"
        }
        #expect(
            looks == [
                "false 3600.0", "true 7200.0", "false 3600.0", "true 7200.0", "false 7200.0", "true 21600.0",
                "false 21600.0",
            ])
    }

    @Test func `a timer is cancelled, and a run that is late is left out`() throws {
        try load(
            """
            local timer
            timer = rest.every('* * * * *', function()
              say()
              if rest.now() - start > 300 then timer:cancel() end
              rest.sleep(150)
            end)
            """)
        fixture.advance(3600, step: 30)
        fixture.close()
        #expect(fixture.lines == ["1.0", "4.0", "7.0"])
    }

    @Test(arguments: [
        (
            "rest.every('61 * * * *', print)",
            "bad argument #1 'times' to 'rest.every' ('61' in the minute field is not 0 to 59)"
        ),
        (
            "rest.every('@dayly', print)",
            "bad argument #1 'times' to 'rest.every' (there is no '@dayly': did you mean '@daily'?)"
        ),
        (
            "rest.every('@daily', { zone = 'Europe/Berln' }, print)",
            "bad argument #1 'times' to 'rest.every' (there is no zone 'Europe/Berln': did you mean 'Europe/Berlin'?)"
        ),
        (
            "rest.every('@daily', { zone = '../Europe/Berlin' }, print)",
            "bad argument #1 'times' to 'rest.every' (there is no zone '../Europe/Berlin': did you mean 'Europe/Berlin'?)"
        ),
        (
            "rest.every('@daily', { zone = 'Broken' }, print)",
            "bad argument #1 'times' to 'rest.every' (the zone 'Broken' can't be read: it is cut short)"
        ),
        ("rest.every('@daily', { zne = 'UTC' }, print)", "unknown option 'zne': did you mean 'zone'?"),
        (
            "rest.every('@daily', print, { zone = 'UTC' })",
            "bad argument #3 'options' to 'rest.every' (they stand before the function: rest.every(times, { zone = … }, fn))"
        ),
        ("rest.every('@daily')", "bad argument #2 'fn' to 'rest.every' (function expected, got no value)"),
        (
            "rest.every('60', print)",
            "bad argument #1 'times' to 'rest.every' ('60' has 1 field: a cron time has five, minute hour day month weekday; "
                + "seconds are a number without quotes)"
        ),
        ("rest.every(0, print)", "bad argument #1 'seconds' to 'rest.every' (a period is 0.001 or more)"),
    ])
    func `wrong times are reported with their line`(source: String, message: String) throws {
        try load("")
        let failure = fixture.failure(of: "\n" + source)
        #expect(failure?.message == message && failure?.line == 2)
        fixture.close()
    }
}
