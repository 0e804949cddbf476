import Dispatch
import LuaRuntime
import RestEngine
import Synchronization

/// Looks whether a module is any good, while the engine loop waits: in a Lua state of its own, whose time is
/// no time of the script that names the module, and on a thread that can be given up.
final class ModuleLoading: Sendable {
    private let answer = Mutex<Result<ModuleState.Answer, LuaHang>?>(nil)
    private let isAnswered = DispatchSemaphore(value: 0)

    /// What the module's table says; nil for a function. Throws what is wrong with the module.
    static func rules(
        of name: String, _ files: ModuleFiles, _ settings: ModuleSettings
    ) throws(LuaError) -> ContentRules? {
        let loading = ModuleLoading()
        let pool = LuaPool<ModuleState>(name: "module loader", threads: 1, limit: 1) {
            ModuleState(settings, onHang: $0)
        } listener: { _, result in
            loading.take(result)
        }
        defer { pool.close() }
        guard pool.submit(.load(name, files)) != nil else {
            throw LuaError(kind: .runtime, message: "the system has no thread for module '\(name)'")
        }
        return try loading.wait(for: name, files)
    }

    private func take(_ result: Result<ModuleState.Answer, LuaHang>) {
        answer.withLock { $0 = result }
        isAnswered.signal()
    }

    private func wait(for name: String, _ files: ModuleFiles) throws(LuaError) -> ContentRules? {
        isAnswered.wait()
        switch answer.withLock({ $0 }) {
        case .success(.loaded(let result)): return try result.get()
        case .failure(let hang):
            throw LuaError(
                kind: .budget,
                message:
                    "the load of module '\(name)' hangs in a function that no limit can end: it was given up after "
                    + "\(hang.seconds) s", file: files.file(name)?.path, line: 1)
        // No load has another answer.
        case .success(.outcome), .success(.refused), nil: return nil
        }
    }
}
