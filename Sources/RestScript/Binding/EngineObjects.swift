public import LuaRuntime
public import RestEngine

// These objects of the engine are visible to scripts without a wrapper.

extension Service: @EngineActor LuaObject {
    /// The texts of a service count until the script that declared it ends.
    public var keptBytes: Int { 1024 }
}

extension Resource: @EngineActor LuaObject {
    /// The content counts against the content limit. An entity that a script holds is counted by itself.
    public var keptBytes: Int { ownBytes }
}

extension ResourceStatus: @EngineActor LuaObject {
    /// The resources themselves are counted elsewhere.
    public var keptBytes: Int { 512 + 64 * resources.count }
}

extension Request: @EngineActor LuaObject {
    public var keptBytes: Int { heldBytes }

    public func wasPushed(in state: LuaState) { add(state) }
}

extension LuaState: RequestKeeper {
    package func requestGrew(_ request: Request) { measure(request) }

    package func hold(_ request: Request) -> AnyObject? { reference(to: request) }
}

extension ConfigurationDraft: @EngineActor LuaObject {
    package var keptBytes: Int { heldBytes }
}
