/// How a host function ends.
public enum Verdict {
    /// The topmost `count` values of the stack are its results.
    case results(Int32)
    /// The script waits. The closure gets the handle that continues it, and may use it at once.
    case suspend((LuaWaiter) -> Void)
}

/// A Swift function that scripts can call. What it throws becomes a Lua error.
public typealias HostFunction = (Arguments) throws -> Verdict
