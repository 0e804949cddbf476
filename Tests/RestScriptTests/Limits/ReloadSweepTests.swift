import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Refuses each allocation, one per round, while a script replaces the running one: in the new script while
/// it loads and begins, and in the old one while it is notified.
@Suite(.leakChecked) @EngineActor
struct ReloadSweepTests {
    private static let service =
        #"local api = rest.service { name = "api", base_url = "https://api.test/v1" }"#
    private static let source = """
        local rest = require "resthost"
        local helper = require "helper"
        \(service)
        api.cached_resource_count_limit = 50
        api:configure("**", function(c)
          c.headers["X-Version"] = helper.version
          c:mutate_requests(function(draft) draft.headers["X-More"] = "m" end)
        end)
        api:configure_transformer("echo/*", function(content) return content .. helper.version end)
        local other = rest.service { name = "other", base_url = "https://other.test" }
        local events = {}
        api:resource("echo/a"):add_observer(function(resource, event) events = { event, events[1], other } end)
        rest.every(1000, function() end)
        rest.spawn(function() rest.sleep(500) end)
        rest.store:set("loaded", { at = rest.now(), list = { 1, 2 } })
        local state = { n = 0 }
        rest.on_reload(function() rest.store:set("told", { state, n = rest.store:get("loaded").list[1] }) end)
        """

    private let fixture = ScriptFixture()
    private let files = TemporaryFolder()

    init() throws {
        fixture.options.modulePaths = [files.path]
        fixture.options.log = { [log = fixture.options.log] in if $0.level == .error { log($0) } }
        files.write("helper.lua", "return { version = 'v' }")
        try SampleServer.install(on: fixture.transport)
        fixture.engine.remembersPipelines = true
    }

    /// A running script in its own state.
    @EngineActor
    private final class Generation {
        let state: ScriptState
        var host: ScriptHost?
        var isOver = false

        init(_ state: ScriptState) { self.state = state }
    }

    private func makeGeneration() -> Generation {
        Generation(ScriptState(fixture.options, searchRoots: [files.path]))
    }

    private func load(_ new: Generation, replacing old: Generation?) throws(Diagnostic) {
        let host = try ScriptHost(
            source: Array(Self.source.utf8), path: "test.lua", engine: fixture.engine,
            options: fixture.options,
            sharing: new.state, replacing: old?.host?.context)
        LeakList.current?.watch(host)
        LeakList.current?.watch(host.context)
        new.host = host
        guard let old else { return }
        host.takeOver()
        old.host?.whenRetirementEnds { [weak old] in old?.isOver = true }
        fixture.settle()
    }

    private func end(_ generation: Generation) {
        _ = generation.host?.close()
        generation.host = nil
        fixture.settle()
        let report = generation.state.close()
        #expect(report.hostObjects == 0 && report.references == 0 && report.bytes == 0, "\(report)")
    }

    /// The content of a response after the running script's blocks and transformers.
    private func answer(_ generation: Generation) -> String {
        let request = generation.host?.service(named: "api")?.resource("echo/a").load()
        fixture.settle()
        return request?.info?.response.entity?.content.text
            ?? "\(String(describing: request?.info?.response))"
    }

    private static let expected = "GET /echo/a X-Version=v X-More=mv"

    private func begin() throws -> Generation {
        let first = makeGeneration()
        try load(first, replacing: nil)
        fixture.settle()
        #expect(answer(first) == Self.expected)
        return first
    }

    /// Starting and notifying functions may be refused too.
    private func expectShortages(_ nth: Int) {
        let lines = fixture.take()
        #expect(lines.allSatisfy { $0.contains("not enough memory") }, "\(nth): \(lines)")
    }

    @Test func `a script whose load any allocation may end leaves the running one as it was`() throws {
        var running = try begin()
        var next = makeGeneration()
        var failures = 0
        var sweep = AllocationSweep()
        sweep.dense = 60
        try sweep.run({ next.state.lua }) { nth in
            do throws(Diagnostic) { try load(next, replacing: running) } catch {
                failures += 1
                #expect(error.message.contains("not enough memory"), "\(nth): \(error)")
                fixture.settle()
            }
        } check: { nth in
            expectShortages(nth)
            // If the new script took over, a resource has the old configuration until it is used.
            #expect(answer(next.host == nil ? running : next) == Self.expected, "after \(nth)")
            if next.host == nil {
                end(next)
            } else {
                #expect(running.isOver, "\(nth)")
                end(running)
                running = next
            }
            next = makeGeneration()
            #expect(fixture.take().isEmpty, "after \(nth)")
        }
        #expect(failures > 20)
        end(next)
        end(running)
    }

    @Test func `a script that gets no memory for its last notification still ends`() throws {
        var running = try begin()
        var old = running
        try AllocationSweep().run({ running.state.lua }) { nth in
            old = running
            running = makeGeneration()
            try load(running, replacing: old)
        } check: { nth in
            expectShortages(nth)
            #expect(old.isOver, "\(nth)")
            #expect(answer(running) == Self.expected, "after \(nth)")
            end(old)
        }
        end(running)
    }

    @Test(
        arguments: [
            "", "api:resource('echo/a'):add_observer(function() end)",
            "api:resource('echo/b'):add_observer(function() end)",
            "api:resource('echo/b'):add_observer({ changed = function() end })",
            "rest.every(1000, function() end)",
            "rest.after(1000, function() end)", "rest.spawn(function() rest.sleep(500) end)",
            "rest.on_reload(function() end)", "rest.on_shutdown(function() end)",
            "api:configure(function(c) c:mutate_requests(function() end) end)",
            "api:configure_transformer('**', function() end)", "api:use(function() end)",
        ])
    func `a script that is no good leaves no function behind`(line: String) throws {
        let running = try begin()
        let next = makeGeneration()
        #expect(throws: Diagnostic.self) {
            try ScriptHost(
                source: Array(
                    "local rest = require 'resthost' \(Self.service) \(line) error('boom')".utf8),
                path: "test.lua", engine: fixture.engine, options: fixture.options, sharing: next.state,
                replacing: running.host?.context)
        }
        fixture.settle()
        end(next)
        end(running)
    }
}
