import LuaRuntime
import RestEngine

/// What `t.load` and `t.host` give: an engine that stands still, stubs in place of a network, and a script on
/// them.
@EngineActor
final class TestHost: LuaObject {
    /// For messages: the script's path.
    let name: String
    let clock = ManualClock()
    let scheduler: Scheduler
    let transport: StubTransport
    let engine: Engine
    let script: ScriptHost
    private(set) var isClosed = false
    /// A test has few of them.
    nonisolated var keptBytes: Int { 512 }
    private var services: [Service] = []
    private var replies: [StubReplyFunction] = []
    /// Recordings of which every answer must be asked for.
    private(set) var wholeReplays: [RecordedAnswers] = []

    /// Loads a script. `isFile` says that the text is that of the file at `path`, whose lines may be counted.
    init(
        loading source: [UInt8], path: String, isFile: Bool, options: ScriptOptions,
        sharing state: ScriptState
    ) throws(Diagnostic) {
        name = path
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Self.engine(transport, scheduler)
        let options = Self.ofItsOwn(options)
        // What the script sends while it is loaded waits for the stubs, which come after.
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

    /// Makes a host without a script. With no `state` to share it makes one, as the host of the test file
    /// itself.
    init(empty name: String, folder: String, options: ScriptOptions, sharing state: ScriptState?) {
        self.name = name
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Self.engine(transport, scheduler)
        script = ScriptHost(
            emptyFor: folder, engine: engine, options: Self.ofItsOwn(options), sharing: state)
        listen(options)
    }

    /// Waits between attempts are as long as they can be, so that a test knows them.
    private static func engine(_ transport: StubTransport, _ scheduler: Scheduler) -> Engine {
        let engine = Engine(transport: transport, scheduler: scheduler)
        engine.random = { 1 }
        return engine
    }

    /// Each host has a store of its own, in memory those that it opens as well, and one thread for
    /// transformer modules, so that answers keep their order.
    private static func ofItsOwn(_ options: ScriptOptions) -> ScriptOptions {
        var options = options
        options.store = ScriptStore()
        // Nothing of a test stays behind: by path, in memory.
        var opened: [String: ScriptStore] = [:]
        options.openStore = { settings in
            if let known = opened[settings.path] { return known }
            let new = ScriptStore(maxBytes: settings.maxBytes)
            opened[settings.path] = new
            return new
        }
        options.finishFiles = nil
        options.transformerThreads = 1
        return options
    }

    private func listen(_ options: ScriptOptions) {
        engine.log.handler = { category, text in
            guard category != .warning else {
                return options.log(ScriptLogEntry(level: .warn, text: text))
            }
            // An entry for each line, so that each has its category (rule 26.3).
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

    /// Where the clock will stand.
    func timeAfter(_ seconds: Double) -> (uptime: Double, now: Double) {
        let uptime = clock.uptime + seconds
        return (uptime, uptime + timeOfStart)
    }

    /// Moves the clock to a point of its uptime; the time of day keeps its distance.
    func move(toUptime uptime: Double) {
        clock.move(toUptime: uptime, now: uptime + timeOfStart)
    }

    /// Moves the clock to a point of its uptime, which is this time of day.
    func move(toUptime uptime: Double, now: Double) {
        clock.move(toUptime: uptime, now: now)
        timeOfStart = now - clock.uptime
    }

    /// The time of day at uptime 0. Sums of steps would drift away from the numbers that a test expects.
    private lazy var timeOfStart = clock.now - clock.uptime

    /// Ends the script and what is in flight. Returns false when Lua still held host objects, which can only
    /// be seen of the host whose state it is.
    @discardableResult
    func close() -> Bool {
        guard !isClosed else { return true }
        isClosed = true
        services = script.services
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

    /// Lets go of what later tests made with objects of a host that had ended: resources, requests that
    /// nobody answers.
    func clear() {
        Self.end(transport, scheduler)
        for service in services { service.flushUnusedResources() }
        services = []
    }

    /// Ends what is in flight. Its hooks run once more, find the script closed, and let go of what they hold.
    private static func end(_ transport: StubTransport, _ scheduler: Scheduler) {
        transport.endAll(with: TransportError(.internal, message: "the test has ended"))
        for _ in 0..<100 where !scheduler.runTick() { break }
        scheduler.clear()
        transport.clear()
    }

    /// Throws when the test that made it is over.
    func requireOpen() throws(LuaUsageError) {
        if isClosed { throw LuaUsageError("this host has ended with its test: make a new one in each test") }
    }
}
