import LuaRuntime
import Platform

/// A state with helpers for tests. Each test makes its own state on its own thread.
final class Fixture {
    let state: LuaState
    private(set) var printed = ""
    /// Waiters that a test resumes later.
    var later: [LuaWaiter] = []

    /// The default memory limit of a test's state: RESTHOST_TEST_MEMORY bytes, see scripts/test-tiny-memory.
    private static let memoryLimit =
        getenv("RESTHOST_TEST_MEMORY").flatMap { Int(String(cString: $0)) } ?? 64 << 20

    init(memoryLimit: Int = Fixture.memoryLimit, searchRoots: [String] = []) {
        var write: (String) -> Void = { _ in }
        state = LuaState(
            LuaOptions(
                memoryLimit: memoryLimit, searchRoots: searchRoots,
                output: { write(String(decoding: $0, as: UTF8.self)) }))
        write = { [unowned self] in printed += $0 }
    }

    static let phase = RunPhase(name: "test", mayWait: true, budgetSeconds: 5)

    /// Runs a chunk on the main stack; returns its first result as text.
    @discardableResult
    func run(_ source: String, chunk: String = "test.lua", phase: RunPhase = Fixture.phase) throws -> String {
        let lua = state.main
        lua.push(try state.compile(source, chunk: chunk))
        try lua.call(arguments: 0, results: 1, phase: phase)
        defer { lua.pop() }
        return try lua.tostring(-1)
    }

    /// The error with which a chunk ends.
    func failure(of source: String, chunk: String = "test.lua", phase: RunPhase = Fixture.phase) -> LuaError?
    {
        do {
            try run(source, chunk: chunk, phase: phase)
            return nil
        } catch {
            return error as? LuaError
        }
    }

    /// Makes `function` a global.
    func define(_ name: String, _ function: @escaping HostFunction) {
        let lua = state.main
        lua.pushGlobals()
        lua.push(function: function, name: name)
        lua.rawSet(-2, name)
        lua.pop()
    }

    /// Makes a host object a global.
    func define(_ name: String, _ object: some LuaObject, class luaClass: LuaClass) {
        let lua = state.main
        lua.pushGlobals()
        lua.push(object: object, class: luaClass)
        lua.rawSet(-2, name)
        lua.pop()
    }

    /// Starts a chunk as a coroutine; `done` gets its first result as text.
    @discardableResult
    func spawn(
        _ source: String, phase: RunPhase = Fixture.phase, done: @escaping (Result<String, LuaError>) -> Void
    ) throws -> LuaCoroutine {
        state.spawn(try state.compile(source, chunk: "test.lua"), phase: phase) { lua, result in
            done(result.map { count in count == 0 ? "" : (try? lua.tostring(-count)) ?? "?" })
        }
    }
}
