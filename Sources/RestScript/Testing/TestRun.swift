import LuaRuntime
import RestEngine

/// One running test: its coroutine, its hosts, and the calls that wait.
@EngineActor
final class TestRun {
    let test: ScriptTest
    private unowned let file: ScriptTestFile
    private(set) var hosts: [TestHost] = []
    /// The recorders of `t.record`.
    private(set) var recorders: [TrafficRecorder] = []
    /// The first failure. Later ones are ignored.
    private(set) var failure: Diagnostic?
    private var coroutine: LuaCoroutine?
    private var isRunning = false
    /// Waiting calls of `settle`, `advance` and `clock`, in order.
    var steps: [any ClockMoving] = []

    private var waitingForTicksEnd: [@EngineActor () -> Void] = []

    init(_ test: ScriptTest, in file: ScriptTestFile) {
        self.test = test
        self.file = file
    }

    /// Runs the functions before each test, outer groups first, and then the test.
    func perform() async -> ScriptTestResult {
        let clock = SystemClock()
        let start = clock.uptime
        for function in test.groups.flatMap(\.before) + [test.function].compactMap({ $0 }) {
            await perform(function)
            if failure != nil { break }
        }
        endRecordings()
        let outcome = failure.map { ScriptTestResult.Outcome.failed($0) } ?? .passed
        for host in hosts { host.close() }
        return ScriptTestResult(
            test, outcome, seconds: clock.uptime - start, output: file.log.take())
    }

    private func perform(_ function: LuaReference) async {
        isRunning = true
        coroutine = file.home.context.sandbox.spawn(
            function, phase: file.home.context.phases.test,
            completion: onLoop { [self] (_: Lua, result: Result<Int32, LuaError>) in
                isRunning = false
                if case .failure(let error) = result { fail(file.diagnostic(of: error)) }
            })
        await runTicks()
        coroutine = nil
        steps = []
        waitingForTicksEnd = []
    }

    /// Records the traffic of all hosts, including those that are made later.
    func record(_ recorder: TrafficRecorder) {
        recorders.append(recorder)
        for host in file.hosts { recorder.listen(to: host.engine) }
    }

    func adopt(_ host: TestHost) {
        hosts.append(host)
        for recorder in recorders { recorder.listen(to: host.engine) }
        host.context.runner.betweenTicks = { [weak self] work in self?.waitingForTicksEnd.append(work) }
    }

    /// The place at which the test waits.
    var place: (file: String, line: Int)? { coroutine?.place }

    /// Ends the test. If it is running, it goes on to its next wait.
    func fail(_ diagnostic: Diagnostic) {
        guard failure == nil else { return }
        var diagnostic = diagnostic
        if diagnostic.file == nil {
            diagnostic.file = test.file
            diagnostic.line = test.line
        }
        failure = diagnostic
        coroutine?.cancel()
    }

    // MARK: Ticks

    /// More ticks without rest mean an endless loop.
    private static let tickLimit = 100_000
    /// The most steps of a clock in one call. A repeating timer of one millisecond needs fewer in an hour.
    private static let moveLimit = 5_000_000

    /// Runs ticks of all hosts until the test has ended. Clocks move only when the test moves them.
    private func runTicks() async {
        var ticks = 0
        var moves = 0
        while isRunning {
            if failure != nil {
                coroutine?.cancel()
                // The coroutine called this function itself, so it can't be resumed.
                isRunning = false
            } else if !waitingForTicksEnd.isEmpty {
                waitingForTicksEnd.removeFirst()()
            } else if runTick() {
                ticks += 1
                if ticks > Self.tickLimit { fail(TestStandstill(file).restlessness(Self.tickLimit)) }
            } else if file.hosts.contains(where: { $0.engine.offloadedWork > 0 }) {
                if await !OffloadedWait.finish(of: file.hosts.map(\.engine)) {
                    fail(Diagnostic(.error, OffloadedWait.complaint, file: place?.file, line: place?.line))
                }
            } else if await runServers() {
                ticks += 1
            } else if file.hosts.contains(where: showAnswer) {
                ticks += 1
            } else {
                ticks = 0
                moves += 1
                if moves > Self.moveLimit { fail(TestStandstill(file).restlessness(Self.moveLimit)) }
                if !takeStep() { fail(TestStandstill(file).diagnostic(at: place)) }
            }
        }
    }

    /// Runs one tick of each host. False when none had work.
    private func runTick() -> Bool {
        var didWork = false
        for host in file.hosts {
            if host.scheduler.runTick() { didWork = true }
            if !isRunning || failure != nil { return true }
        }
        return didWork
    }

    /// Lets the gateways of all hosts do what is due. False when none had something to do.
    private func runServers() async -> Bool {
        for host in file.hosts where host.servesRequests {
            if await host.runServer() { return true }
            // Work of the engine that the gateway asked for.
            if host.scheduler.timeUntilWork == 0 { return true }
        }
        return false
    }

    private func showAnswer(of host: TestHost) -> Bool {
        host.showAnswer { file.show($0, $1, of: host) }
    }

    /// Continues the first of the waiting calls. False when there is none.
    private func takeStep() -> Bool {
        guard let step = steps.first else { return false }
        if step.advance() { return true }
        steps.removeAll { $0 === step }
        step.finish()
        return true
    }
}

/// A waiting call that moves a clock. It continues whenever no host has work that is due.
@EngineActor
protocol ClockMoving: AnyObject {
    /// Moves the clock. False when the call is done.
    func advance() -> Bool

    func finish()
}

/// A waiting call of `settle`, `advance` or `clock`.
@EngineActor
final class ClockStep: ClockMoving {
    private let host: TestHost
    /// The time to which the clock moves; nil for `settle`.
    private let target: (uptime: Double, now: Double)?
    private let waiter: LuaWaiter

    init(_ host: TestHost, to target: (uptime: Double, now: Double)? = nil, _ waiter: LuaWaiter) {
        self.host = host
        self.target = target
        self.waiter = waiter
    }

    /// Moves the clock to the next timer, or to the target. False when it is there.
    func advance() -> Bool {
        guard let target, !host.isClosed, waiter.isAlive, host.clock.uptime < target.uptime else {
            return false
        }
        if let next = host.scheduler.nextDeadline, next < target.uptime {
            host.move(toUptime: max(next, host.clock.uptime))
        } else {
            host.move(toUptime: target.uptime, now: target.now)
        }
        return true
    }

    func finish() { waiter.resume { _ in 0 } }
}
