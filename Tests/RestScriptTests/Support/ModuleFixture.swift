import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// A script in a folder with transformer modules, on the ``SampleServer``.
@EngineActor
final class ModuleFixture {
    let folder = TemporaryFolder()
    let script = ScriptFixture()

    /// Modules by name, without the dots; their text begins behind `local rest = require "resthost"` in its
    /// first line.
    init(_ modules: [String: String] = [:]) throws {
        script.options.transformerThreads = 1
        try SampleServer.install(on: script.transport)
        for (name, text) in modules { write(name, text) }
    }

    func write(_ name: String, _ text: String) {
        folder.write("\(name).lua", "local rest = require \"resthost\" " + text)
    }

    func load(_ source: String) throws {
        try script.load(source, path: folder.path + "/test.lua")
    }

    /// Gives modules `require "test.gate"`, a function that stops there.
    func install(_ checkpoint: Checkpoint) {
        script.options.modulePreloads["test.gate"] = { lua in
            lua.push(
                function: { _ in
                    checkpoint.pass()
                    return .none
                }, name: "gate")
        }
    }

    /// The error with which a script fails to load, as `FILE:LINE: MESSAGE`.
    func failure(of source: String) -> String? {
        do throws(Diagnostic) {
            let host = try ScriptHost(
                source: Array((ScriptFixture.prelude + source).utf8), path: folder.path + "/test.lua",
                engine: script.engine, options: script.options)
            host.close()
            return nil
        } catch { return plain("\(error.file ?? "?"):\(error.line ?? 0): \(error.message)") }
    }

    var pool: ModulePool? { script.context?.modules }

    /// Runs what is due, and waits for other threads, until nothing is left.
    func settle() async {
        script.settle()
        while script.engine.offloadedWork > 0 {
            guard await script.engine.offloadedWorkEnds() else { return }
            script.settle()
        }
    }

    /// What the script printed and logged, without the folder's name.
    func take() -> [String] { script.take().map(plain) }

    func plain(_ text: String) -> String {
        text.replacing(folder.path + "/", with: "").replacing(folder.path, with: ".")
    }

    func close(sourceLocation: SourceLocation = #_sourceLocation) async {
        let pool = pool
        script.close(sourceLocation: sourceLocation)
        await settle()
        if let pool {
            #expect(await pool.objectsLeft(at: sourceLocation) == 0, sourceLocation: sourceLocation)
        }
    }
}

extension ModulePool {
    /// Objects of the host that its states never let go of, when its threads have ended; nil when they don't.
    func objectsLeft(at location: SourceLocation = #_sourceLocation) async -> Int? {
        await waiting(for: "threads of modules to end", at: location) { notified in
            Task { notified(await isEnded()) }
        }
    }
}

/// What a script with modules printed, run to its end.
@EngineActor
func output(
    _ source: String, modules: [String: String], sourceLocation: SourceLocation = #_sourceLocation
) async throws -> [String] {
    let fixture = try ModuleFixture(modules)
    try fixture.load(source)
    await fixture.settle()
    await fixture.close(sourceLocation: sourceLocation)
    return fixture.take()
}
