public import LuaRuntime
public import RestEngine

// Objects of the engine that scripts see as they are.

extension Service: @EngineActor LuaObject {
    /// Its texts count for as long as the script lives, which declared it.
    public var keptBytes: Int { 1024 }
}

extension Resource: @EngineActor LuaObject {
    /// Its content is in the content limit, and an entity that a script has counts by itself.
    public var keptBytes: Int { ownBytes }
}

extension ResourceStatus: @EngineActor LuaObject {
    /// The resources are counted where they are.
    public var keptBytes: Int { 512 + 64 * resources.count }
}

extension Request: @EngineActor LuaObject {
    public var keptBytes: Int { heldBytes }

    public func wasPushed(in state: LuaState) { add(state) }
}

extension LuaState: RequestKeeper {
    package func requestGrew(_ request: Request) { measure(request) }
}

extension ConfigurationDraft: @EngineActor LuaObject {
    package var keptBytes: Int { heldBytes }
}
