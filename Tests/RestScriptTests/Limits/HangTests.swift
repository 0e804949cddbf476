import LuaRuntime
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import RestScript

@EngineActor
@Suite struct HangTests {
    private final class Entries: Sendable {
        let list = Mutex<[ScriptLogEntry]>([])
        var texts: [String] { list.withLock { $0.map { "\($0.level): \($0.text)" } } }
    }

    @Test func `a function that hangs in the host is reported while it hangs`() throws {
        let fixture = ScriptFixture()
        let (entries, gate, over) = (Entries(), Gate(), Gate())
        fixture.options.watchdog = LuaWatchdog(interval: 0.005, leastSeconds: 0.02)
        fixture.options.limits[.job] = .init(burst: 0.005)
        fixture.options.log = { _ in gate.wait() }
        fixture.options.onHang = { entry in
            entries.list.withLock { $0.append(entry) }
            gate.open()
            if entry.level == .warn { over.open() }
        }
        try fixture.load("rest.spawn(function() print('here the host hangs') end)")
        over.wait()
        let notified = entries.texts
        #expect(notified.count == 2)
        let first = try #require(notified[0].firstMatch(of: /^error: job: for ([0-9.]+)/), "\(notified)")
        #expect(
            notified[0].hasSuffix(
                " s now it has not come back, and its limit of 0.005 s can't end it: it hangs in a call of the host. "
                    + "Until it returns, only fresh answers in memory are served; if it stays so, start resthost again and "
                    + "report what the job calls"), "\(notified)")
        let last = try #require(
            notified[1].firstMatch(of: /^warn: job: it came back after ([0-9.]+)/), "\(notified)")
        let seconds = [first.1, last.1].compactMap { Double($0) }
        #expect(seconds.count == 2 && 0.02 <= seconds[0] && seconds[0] <= seconds[1], "\(notified)")
        fixture.close()
    }

    @Test func `times are reported to the tenth, or in milliseconds`() {
        func text(_ seconds: Double, _ limit: Double) -> String {
            HangText.entry(LuaHang(phase: "hook", seconds: seconds, limit: limit, isOver: false)).text
        }
        #expect(
            text(12.34, 0.05).hasPrefix("hook: for 12.3 s now it has not come back, and its limit of 0.05 s ")
        )
    }
}
