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

    /// - Parameter modules: Modules by name, without dots. Their text follows `local rest = require
    ///   "resthost"` on its first line.
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

    /// Gives modules `require "test.gate"`, a function that stops at the checkpoint.
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

    /// Runs all due work and waits for other threads, until none is left.
    func settle() async {
        script.settle()
        while script.engine.offloadedWork > 0 {
            guard await script.engine.offloadedWorkEnds() else { return }
            script.settle()
        }
    }

    /// The lines that the script printed and logged, without the folder's name.
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
    /// The number of host objects that its states never released, after its threads have ended; nil if they
    /// don't end.
    func objectsLeft(at location: SourceLocation = #_sourceLocation) async -> Int? {
        await waiting(for: "threads of modules to end", at: location) { notified in
            Task { notified(await isEnded()) }
        }
    }
}

/// Runs a script with modules to its end; returns the output.
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
