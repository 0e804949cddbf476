/// One field of a host object.
public struct LuaProperty {
    public let name: String
    /// For the reference: "string", "number?".
    public let type: String
    public let documentation: String
    /// Pushes the value of `Arguments.receiver`.
    public let get: HostFunction
    /// Gets the new value as argument 1. None: read only.
    public let set: HostFunction?

    public init(
        _ name: String, type: String, documentation: String, get: @escaping HostFunction,
        set: HostFunction? = nil
    ) {
        self.name = name
        self.type = type
        self.documentation = documentation
        self.get = get
        self.set = set
    }
}
