import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// An engine with a stopped clock, a server of stubs, and one script.
///
/// In a suite with the trait `.leakChecked` none of their objects may outlive the test; call ``close()`` at
/// its end.
@EngineActor
final class ScriptFixture {
    /// Defines the library as `rest` and a service as `api`, all on the first line, so that the script's
    /// lines keep their numbers.
    static let prelude =
        #"local rest = require "resthost" local api = rest.service { name = "api", base_url = "https://api.test/v1" } "#

    let clock = ManualClock()
    let scheduler: Scheduler
    let transport: StubTransport
    let engine: Engine
    var options = ScriptOptions()
    /// The entries that the script logged and printed.
    private(set) var log: [ScriptLogEntry] = []
    private(set) var host: ScriptHost?

    init() {
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Engine(transport: transport, scheduler: scheduler)
        engine.movesLargeContent = false
        options.log = { [weak self] in self?.log.append($0) }
        for object in [scheduler, transport, engine] as [AnyObject] { LeakList.current?.watch(object) }
    }

    /// Loads a script as `test.lua` after the prelude, and runs all due work.
    func load(_ source: String, prelude: String = ScriptFixture.prelude, path: String = "test.lua") throws {
        let host = try ScriptHost(
            source: Array((prelude + source).utf8), path: path, engine: engine, options: options)
        LeakList.current?.watch(host)
        LeakList.current?.watch(host.context)
        for service in host.services { LeakList.current?.watch(service) }
        self.host = host
        settle()
    }

    /// The error with which a script fails to load.
    func failure(of source: String, prelude: String = ScriptFixture.prelude) -> Diagnostic? {
        defer { settle() }
        do throws(Diagnostic) {
            let host = try ScriptHost(
                source: Array((prelude + source).utf8), path: "test.lua", engine: engine, options: options)
            host.close()
            return nil
        } catch { return error }
    }

    var context: ScriptContext? { host?.context }

    // MARK: Output

    /// The texts of the log. Warnings and errors begin with their level.
    var lines: [String] {
        log.map { $0.level == .info ? $0.text : "\($0.level): \($0.text)" }
    }

    /// Returns ``lines`` so far, and forgets them.
    func take() -> [String] {
        defer { log = [] }
        return lines
    }

    // MARK: Time

    func settle() {
        for _ in 0..<10_000 where !scheduler.runTick() { return }
        Issue.record("the engine does not come to rest")
    }

    /// Moves the clock in steps, so that timers set by timers run in their time.
    func advance(_ seconds: Double, step: Double = 0.25) {
        var left = seconds
        while left > 0 {
            clock.advance(by: min(step, left))
            left -= step
            settle()
        }
    }

    // MARK: End

    /// Ends the script, which must have released all objects.
    func close(sourceLocation: SourceLocation = #_sourceLocation) {
        guard let host else { return }
        #expect(host.close(), "Lua still holds host objects", sourceLocation: sourceLocation)
        self.host = nil
        settle()
    }
}

/// Runs a script to its end against the ``SampleServer``; returns its output.
@EngineActor
func output(
    _ source: String, prelude: String = ScriptFixture.prelude, seconds: Double = 0,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> [String] {
    let fixture = ScriptFixture()
    try SampleServer.install(on: fixture.transport)
    try fixture.load(source, prelude: prelude)
    fixture.advance(seconds)
    fixture.close(sourceLocation: sourceLocation)
    return fixture.lines
}

/// Expects these lines from ``output(_:prelude:seconds:sourceLocation:)``.
@EngineActor
func expect(
    _ source: String, prelude: String = ScriptFixture.prelude, seconds: Double = 0, prints expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let lines = try output(source, prelude: prelude, seconds: seconds, sourceLocation: sourceLocation)
    #expect(lines == expected, sourceLocation: sourceLocation)
}

/// Runs a script to its end against its own stubs, each below `https://api.test/v1/`; returns its output.
@EngineActor
func output(
    _ source: String, stubs: [(path: String, reply: StubReply)],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> [String] {
    let fixture = ScriptFixture()
    for (path, reply) in stubs {
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/\(path)", reply)
    }
    try fixture.load(source)
    fixture.close(sourceLocation: sourceLocation)
    return fixture.lines
}

/// The error of a script that can't be loaded, as `line: message`.
@EngineActor
func loadError(_ source: String, prelude: String = ScriptFixture.prelude) -> String? {
    ScriptFixture().failure(of: source, prelude: prelude).map { "\($0.line ?? 0): \($0.message)" }
}
