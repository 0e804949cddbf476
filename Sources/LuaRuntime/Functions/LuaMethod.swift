/// One method of a host object, called as `object:name(…)`.
public struct LuaMethod {
    public let name: String
    /// For the reference: "(path: string) -> resource".
    public let signature: String
    public let documentation: String
    /// Its arguments count from 1 after the object, which is `Arguments.receiver`.
    public let function: HostFunction

    /// - Parameter surplusAdvice: what to write instead, for a call with more arguments than the signature has.
    public init(
        _ name: String, signature: String, documentation: String, surplusAdvice: String = "",
        function: @escaping HostFunction
    ) {
        self.name = name
        self.signature = signature
        self.documentation = documentation
        self.function = ArgumentCount.checked(function, signature, advice: surplusAdvice)
    }
}
