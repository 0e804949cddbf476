import LuaRuntime
import RestEngine

/// A hook of a script that waits for something.
@EngineActor
final class ScriptHook: ScriptActivity {
    var coroutine: LuaCoroutine?

    func cancel() { coroutine?.cancel() }
}
