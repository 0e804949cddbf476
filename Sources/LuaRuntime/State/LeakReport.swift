/// What was still alive when a state closed.
public struct LeakReport: Equatable, Sendable {
    /// Swift objects and functions that Lua never let go of. Not zero means a fault of this module.
    public let hostObjects: Int
    /// `LuaReference`s that somebody still holds. They are useless now.
    public let references: Int
    /// Coroutines that waited; closing cancelled them.
    public let waitingCoroutines: Int
    /// Bytes that Lua did not give back.
    public let bytes: Int

    public var isClean: Bool { hostObjects == 0 && references == 0 && waitingCoroutines == 0 && bytes == 0 }
}
