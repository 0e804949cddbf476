import Dispatch
import LuaRuntime
import RestEngine
import Synchronization

/// Tries a module while the engine loop waits. The module runs in its own Lua state, so its time does not
/// count for the script that names it, and on a thread that can be abandoned.
final class ModuleLoading: Sendable {
    private let answer = Mutex<Result<ModuleState.Answer, LuaHang>?>(nil)
    private let isAnswered = DispatchSemaphore(value: 0)

    /// The rules in the module's table; nil for a function. Throws the error of the module.
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
        // A load has no other outcome.
        case .success(.outcome), .success(.refused), nil: return nil
        }
    }
}
