import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Scripts that replace each other on one engine with a stopped clock.
@EngineActor
final class ReloadFixture {
    let fixture = ScriptFixture()
    private(set) var host: ScriptHost
    private(set) var retired: [ScriptHost] = []

    init(_ source: String) throws {
        try SampleServer.install(on: fixture.transport)
        fixture.engine.remembersPipelines = true
        try fixture.load(source)
        host = try #require(fixture.host)
    }

    var api: Service { get throws { try #require(host.service(named: "api")) } }

    /// Returns the lines that were printed and logged since the last call.
    func take() -> [String] { fixture.take() }

    /// Loads another version; returns its error if it is invalid.
    @discardableResult
    func reload(
        _ source: String, prelude: String = ScriptFixture.prelude, accepts: Bool = true
    ) -> Diagnostic? {
        do throws(Diagnostic) {
            let new = try ScriptHost(
                source: Array((prelude + source).utf8), path: "test.lua", engine: fixture.engine,
                options: fixture.options, replacing: host.context)
            LeakList.current?.watch(new)
            LeakList.current?.watch(new.context)
            guard accepts else {
                new.giveUp()
                return nil
            }
            let old = host
            host = new
            new.takeOver()
            retired.append(old)
            old.whenRetirementEnds { [weak self, unowned old] in self?.end(old) }
            fixture.settle()
            return nil
        } catch {
            fixture.settle()
            return error
        }
    }

    private func end(_ old: ScriptHost) {
        retired.removeAll { $0 === old }
        #expect(old.close(), "Lua still holds host objects")
    }

    func close(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(retired.isEmpty, sourceLocation: sourceLocation)
        #expect(host.close(), "Lua still holds host objects", sourceLocation: sourceLocation)
        fixture.close()
        fixture.settle()
    }
}
