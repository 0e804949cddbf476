import CLua

/// How a host function ends.
public enum CallResult {
    /// The topmost `count` values of the stack are its results.
    case results(Int32)
    /// The script waits. The closure gets the handle that continues it, and may use it at once.
    case suspend((LuaWaiter) -> Void)
}

/// A Swift function that scripts can call. An error that it throws becomes a Lua error.
public typealias HostFunction = (Arguments) throws -> CallResult

/// One host function and its name in error messages. Lua holds the only reference.
final class HostBox {
    /// Decides where arguments begin and how errors speak of them.
    enum Role {
        case function, method, field
    }

    let name: String
    let role: Role
    let className: String
    let function: HostFunction

    init(name: String, role: Role, className: String = "", function: @escaping HostFunction) {
        self.name = name
        self.role = role
        self.className = className
        self.function = function
    }
}

/// The functions that C calls. They must not raise. `release` and `is_shared` run inside any allocation and
/// leave Lua alone.
extension LuaState {
    static var callbacks: clua_callbacks {
        clua_callbacks(
            call: { thread, box in
                // C passes the thread and the userdata it called with; neither is ever null.
                LuaState.call(thread!, Unmanaged<HostBox>.fromOpaque(box!).takeUnretainedValue())
            },
            release: { object in
                // Each userdata gives back the one reference it took.
                Unmanaged<AnyObject>.fromOpaque(object!).release()
            },
            is_shared: { object in
                // The userdata lends the one reference it has. The question needs a variable of a class, not
                // of a protocol: that would be copied for it. Which class makes no difference to the count.
                var object = Unmanaged<HostBox>.fromOpaque(object!).takeRetainedValue()
                let isShared = !isKnownUniquelyReferenced(&object)
                _ = Unmanaged.passRetained(object)
                return isShared
            },
            describe: { thread, object in
                // Error boxes hold nothing else.
                let box = Unmanaged<ErrorBox>.fromOpaque(object!).takeUnretainedValue()
                Lua(thread!, LuaState.of(thread!)).push("\(box.error)")
            },
            grew: { thread in LuaState.of(thread!).onGrowth?() })
    }

    /// The state whose thread this is. It is alive: a closed one runs nothing.
    static func of(_ thread: OpaquePointer) -> LuaState {
        Unmanaged<LuaState>.fromOpaque(clua_owner(thread)).takeUnretainedValue()
    }

    private static func call(_ thread: OpaquePointer, _ box: HostBox) -> Int32 {
        let state = of(thread)
        let lua = Lua(thread, state)
        do {
            switch try box.function(Arguments(lua: lua, box: box)) {
            case .results(let count): return count
            case .suspend(let begin): return try state.suspend(lua, begin)
            }
        } catch {
            state.present(error, on: lua)
            return error is LuaUsageError ? Int32(CLUA_RAISE_HERE) : Int32(CLUA_RAISE)
        }
    }

    /// Hands out the waiter. One that is answered at once never waits.
    private func suspend(_ lua: Lua, _ begin: (LuaWaiter) -> Void) throws -> Int32 {
        let coroutine = try coroutineThatMayWait(lua)
        let waiter = LuaWaiter(coroutine: coroutine, thread: lua.raw)
        begin(waiter)
        switch waiter.takeEarlyAnswer() {
        case .values(let push): return push(lua)
        case .failure(let error): throw error
        case nil:
            coroutine.nextWaiter = waiter
            return Int32(CLUA_SUSPEND)
        }
    }

    private func coroutineThatMayWait(_ lua: Lua) throws -> LuaCoroutine {
        if isClosing { throw refusal("the script is being closed") }
        if let phase = entry.phase, !phase.mayWait { throw refusal(phase.waitAdvice) }
        guard lua.isYieldable, let coroutine = entry.coroutine else {
            throw refusal(
                "a function such as table.sort, string.gsub or require is running in between;"
                    + " wait before or after it")
        }
        return coroutine
    }

    private func refusal(_ advice: String) -> LuaUsageError {
        waitRefusal = "cannot wait here: \(advice)"
        return LuaUsageError(waitRefusal)
    }
}
