import LuaRuntime
import RestEngine

/// The result of `t.load` and `t.host`: an engine whose clock stands still, stubs in place of a network, and
/// a script.
@EngineActor
final class TestHost: LuaObject {
    /// The name in messages: the script's path.
    let name: String
    let clock = ManualClock()
    let scheduler: Scheduler
    let transport: StubTransport
    let engine: Engine
    let script: ScriptHost
    private(set) var isClosed = false
    /// The size is small, because a test has few hosts.
    nonisolated var keptBytes: Int { 512 }
    private var services: [Service] = []
    private var replies: [StubReplyFunction] = []
    private let makeLocalServer:
        (@EngineActor (ScriptHost, Double, Double) throws(Diagnostic) -> any LocalServer)?
    /// Answers `request`; made when it is first called.
    private var server: (any LocalServer)?
    /// Calls of `request` that wait for their answers.
    private var asked: [(answer: LocalAnswer, waiter: LuaWaiter)] = []
    /// Recordings whose answers must all be used.
    private(set) var wholeReplays: [RecordedAnswers] = []

    /// Loads a script. `isFile` is true when the text is that of the file at `path`, whose lines may be
    /// counted.
    init(
        loading source: [UInt8], path: String, isFile: Bool, options: ScriptOptions,
        sharing state: ScriptState
    ) throws(Diagnostic) {
        name = path
        makeLocalServer = options.makeLocalServer
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Self.engine(transport, scheduler)
        let options = Self.ofItsOwn(options)
        // Requests during the load wait, because the stubs are made afterwards.
        transport.pause()
        do throws(Diagnostic) {
            script = try ScriptHost(
                source: source, path: path, engine: engine, options: options, sharing: state,
                covered: isFile ? .all : .modules)
        } catch {
            Self.end(transport, scheduler)
            throw error
        }
        transport.resume()
        listen(options)
    }

    /// Makes a host without a script. Without a `state` to share it makes one; the host of the test file does
    /// this.
    init(empty name: String, folder: String, options: ScriptOptions, sharing state: ScriptState?) {
        self.name = name
        makeLocalServer = options.makeLocalServer
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Self.engine(transport, scheduler)
        script = ScriptHost(
            emptyFor: folder, engine: engine, options: Self.ofItsOwn(options), sharing: state)
        listen(options)
    }

    /// Waits between attempts always take the longest time, so that tests can predict them.
    private static func engine(_ transport: StubTransport, _ scheduler: Scheduler) -> Engine {
        let engine = Engine(transport: transport, scheduler: scheduler)
        engine.random = { 1 }
        return engine
    }

    /// Each host has a store of its own, opened stores in memory, and one thread for transformer modules, so
    /// that answers keep their order.
    private static func ofItsOwn(_ options: ScriptOptions) -> ScriptOptions {
        var options = options
        options.store = ScriptStore()
        // Stores that a test opens are kept in memory by path, so that no file remains.
        var opened: [String: ScriptStore] = [:]
        options.openStore = { settings in
            if let known = opened[settings.path] { return known }
            let new = ScriptStore(maxBytes: settings.maxBytes)
            opened[settings.path] = new
            return new
        }
        options.sharedMemory = options.sharedMemory?.inMemory
        options.finishFiles = nil
        options.transformerThreads = 1
        return options
    }

    private func listen(_ options: ScriptOptions) {
        engine.log.handler = { category, text in
            guard category != .warning else {
                return options.log(ScriptLogEntry(level: .warn, text: text))
            }
            // Each line is an entry of its own, so that each has its category (rule 26.3).
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                options.log(ScriptLogEntry(level: .debug, text: "\(category.rawValue): \(line)"))
            }
        }
    }

    var context: ScriptContext { script.context }

    func keep(_ reply: StubReplyFunction) { replies.append(reply) }

    func replay(_ answers: RecordedAnswers, whole: Bool) {
        transport.replay(answers)
        if whole { wholeReplays.append(answers) }
    }

    /// The uptime and the time of day after so many seconds.
    func timeAfter(_ seconds: Double) -> (uptime: Double, now: Double) {
        let uptime = clock.uptime + seconds
        return (uptime, uptime + timeOfStart)
    }

    /// Moves the clock to an uptime. The time of day moves with it.
    func move(toUptime uptime: Double) {
        clock.move(toUptime: uptime, now: uptime + timeOfStart)
    }

    /// Moves the clock to an uptime, and sets the time of day.
    func move(toUptime uptime: Double, now: Double) {
        clock.move(toUptime: uptime, now: now)
        timeOfStart = now - clock.uptime
    }

    // MARK: The gateway

    /// Whether a request was sent to its gateway.
    var servesRequests: Bool { server != nil }

    /// Sends a request to the script's gateway. `waiter` gets the answer when it is complete, or when its
    /// head has come and no host has work that is due.
    func send(_ request: LocalRequest, _ waiter: LuaWaiter) throws {
        let answer = try localServer().send(request)
        asked.append((answer, waiter))
    }

    private func localServer() throws -> any LocalServer {
        if let server { return server }
        guard let makeLocalServer else {
            throw LuaUsageError("'request' needs `resthost test`: this program has no gateway")
        }
        do throws(Diagnostic) {
            let made = try makeLocalServer(script, clock.uptime, clock.now)
            server = made
            return made
        } catch { throw LuaUsageError(error.message) }
    }

    /// Lets the gateway do what is due. False if there was nothing to do.
    func runServer() async -> Bool {
        // Work that the gateway gave to the engine loop comes before this.
        await withCheckedContinuation { continuation in
            EngineLoop.shared.submit { continuation.resume() }
        }
        return server?.run(uptime: clock.uptime, now: clock.now) ?? false
    }

    /// Resumes the first call whose answer can be seen. False if there is none.
    func showAnswer(_ show: (LocalAnswer, LuaWaiter) -> Void) -> Bool {
        asked.removeAll { !$0.waiter.isAlive }
        guard
            let index = asked.firstIndex(where: { $0.answer.state.status != nil || $0.answer.state.isEnded })
        else {
            return false
        }
        let (answer, waiter) = asked.remove(at: index)
        show(answer, waiter)
        return true
    }

    /// The time of day at uptime 0. It is kept, because sums of steps would have rounding errors.
    private lazy var timeOfStart = clock.now - clock.uptime

    /// Ends the script and the requests in flight. Returns false when Lua still held host objects. Only the
    /// host that owns the state can see that.
    @discardableResult
    func close() -> Bool {
        guard !isClosed else { return true }
        isClosed = true
        server?.stop()
        (server, asked) = (nil, [])
        services = script.context.services.all
        let isClean = script.close()
        for resource in services.flatMap(\.liveResources) {
            for request in resource.allRequests + resource.loadRequests { request.cancel() }
        }
        Self.end(transport, scheduler)
        wholeReplays = []
        for reply in replies { reply.function = nil }
        replies = []
        for service in services { service.flushUnusedResources() }
        return isClean
    }

    /// Releases objects that later tests made with an ended host, such as resources and requests without an
    /// answer.
    func clear() {
        Self.end(transport, scheduler)
        for service in services { service.flushUnusedResources() }
        services = []
    }

    /// Ends the requests in flight. Their hooks run once more, find the script closed, and release their
    /// objects.
    private static func end(_ transport: StubTransport, _ scheduler: Scheduler) {
        transport.endAll(with: TransportError(.internal, message: "the test has ended"))
        for _ in 0..<100 where !scheduler.runTick() { break }
        scheduler.clear()
        transport.clear()
    }

    /// Throws when the test of this host has ended.
    func requireOpen() throws(LuaUsageError) {
        if isClosed { throw LuaUsageError("this host has ended with its test: make a new one in each test") }
    }
}
