import LuaRuntime
import Platform
import TestSupport
import Testing

/// Malicious scripts, each as a call and as a coroutine. They must end in time, with the right error, and
/// leave no objects.
@Suite(.serialized) struct HostileTests {
    private static let budget = 0.1
    /// CPU seconds of a run: twice its budget, and a collection of all that it holds, which can't be
    /// interrupted.
    private static let longest = 2 * budget + 0.05
    private let phase = RunPhase(name: "hook", mayWait: true, budgetSeconds: budget)
    private static let scripts = HostileScript.all.filter { !$0.needsRest }

    @Test func `there are many`() {
        #expect(Self.scripts.count >= 40)
    }

    @Test(arguments: WholeRun.part(scripts, oneIn: 9))
    func `ends in time with the right error`(script: HostileScript) throws {
        let fixture = Fixture(memoryLimit: 48 << 20)
        fixture.define("wait") { [unowned fixture] _ in .suspend { fixture.later.append($0) } }
        try check(fixture, script) {
            fixture.failure(of: script.source, chunk: script.name + ".lua", phase: phase)
        }
        try check(fixture, script) {
            var result: Result<String, LuaError>?
            _ = try? fixture.spawn(script.source, phase: phase) { result = $0 }
            if case .failure(let error) = result { return error }
            return nil
        }
        #expect(fixture.state.close().isClean)
    }

    private func check(_ fixture: Fixture, _ script: HostileScript, run: () -> LuaError?) throws {
        let held = memory(fixture)
        var failure: LuaError?
        var used = 0.0
        // Interruptions by the machine count as the thread's time. No script has bad luck three times.
        for _ in 0..<3 {
            let begin = cpuSeconds()
            failure = run()
            used = cpuSeconds() - begin
            if used < Self.longest { break }
        }
        let error = try #require(failure, "no error")
        #expect(script.kinds.contains(error.kind.rawValue), "\(error)")
        #expect(error.kind != .runtime || error.description.contains(script.message), "\(error)")
        #expect(error.file != nil && error.line != nil, "\(error)")
        // The address sanitizer makes growing a stack slow, and delays the tick meanwhile.
        #expect(used < Self.longest || getenv("ASAN_OPTIONS") != nil, "\(used) seconds")
        #expect(fixture.state.main.top == 0)
        #expect(try fixture.run("local n = 0 for i = 1, 1000 do n = n + 1 end return n") == "1000")
        #expect(memory(fixture) - held < 16 << 10)
        #expect(fixture.printed.isEmpty && fixture.later.isEmpty)
    }

    /// At each collection Lua halves its stacks and its table of strings, as long as they are much too large.
    private func memory(_ fixture: Fixture) -> Int {
        for _ in 0..<16 { fixture.state.collectGarbage() }
        return fixture.state.memoryUsed
    }

    private func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
