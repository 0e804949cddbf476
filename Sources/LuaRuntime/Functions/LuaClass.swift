package import Platform

/// The methods and fields of host objects of one kind, for scripts. The reference and the type stubs are made
/// from these tables.
///
/// A class belongs to no state: make it once, push objects of it anywhere on the thread.
public final class LuaClass {
    /// Its name in scripts and messages: "resource".
    public let name: String
    public let documentation: String
    public let methods: [LuaMethod]
    public let properties: [LuaProperty]
    /// Answers for a name (argument 1) that is neither method nor property. Call `unknownField` when it
    /// can't.
    public let index: HostFunction?
    /// Sets such a name (argument 1) to argument 2.
    public let newIndex: HostFunction?
    public let tostring: ((AnyObject) -> String)?
    /// Nil: by identity.
    public let equals: ((AnyObject, AnyObject) -> Bool)?
    public let length: HostFunction?
    public let pairs: HostFunction?
    public let call: HostFunction?
    /// Names that people look for here and that are found by other ways, with what to write.
    public let elsewhere: [String: String]

    public init(
        _ name: String, documentation: String = "", methods: [LuaMethod] = [], properties: [LuaProperty] = [],
        index: HostFunction? = nil, newIndex: HostFunction? = nil, tostring: ((AnyObject) -> String)? = nil,
        equals: ((AnyObject, AnyObject) -> Bool)? = nil, length: HostFunction? = nil,
        pairs: HostFunction? = nil, call: HostFunction? = nil,
        elsewhere: [String: String] = [:]
    ) {
        self.name = name
        self.documentation = documentation
        self.methods = methods
        self.properties = properties
        self.index = index
        self.newIndex = newIndex
        self.tostring = tostring
        self.equals = equals
        self.length = length
        self.pairs = pairs
        self.call = call
        self.elsewhere = elsewhere
    }

    /// The error for a name that this class doesn't have, naming the nearest that it has.
    public func unknownField(_ field: String) -> LuaUsageError {
        if let advice = elsewhere[field] {
            return LuaUsageError("unknown field '\(field)' on \(name): \(advice)")
        }
        let names = methods.map(\.name) + properties.map(\.name)
        return LuaUsageError("unknown field '\(field)' on \(name)" + NearestName.advice(field, among: names))
    }

    func readOnlyField(_ field: String) -> LuaUsageError {
        let isKnown = methods.contains { $0.name == field } || properties.contains { $0.name == field }
        return isKnown ? LuaUsageError("field '\(field)' of \(name) is read only") : unknownField(field)
    }
}

/// One method of a host object, called as `object:name(…)`.
public struct LuaMethod {
    public let name: String
    /// For the reference: "(path: string) -> resource".
    public let signature: String
    public let documentation: String
    /// The options that `{ ... }` in the signature stands for.
    package var options: () -> [OptionDescription] = { [] }
    /// Its arguments count from 1 after the object, which is `Arguments.receiver`.
    public let function: HostFunction

    /// - Parameters:
    ///   - surplusAdvice: what to write instead, for a call with more arguments than the signature
    ///     has.
    ///   - documentation: For the reference.
    ///   - function: The method itself.
    ///   - signature: For the reference.
    ///   - name: The name in Lua.
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

/// One field of a host object.
public struct LuaProperty {
    /// For the reference, with all that it says of the values.
    package var description: OptionDescription
    /// Pushes the value of `Arguments.receiver`.
    public let get: HostFunction
    /// Gets the new value as argument 1. Nil: the field is read only.
    public let set: HostFunction?

    /// - Parameters:
    ///   - type: For the reference: "string", "number?".
    ///   - name: The name in Lua.
    ///   - set: Takes a new value; nil for a field that is read only.
    ///   - get: Pushes the value.
    ///   - documentation: For the reference.
    public init(
        _ name: String, type: String, documentation: String, get: @escaping HostFunction,
        set: HostFunction? = nil
    ) {
        self.init(OptionDescription(name, type: type, documentation), get: get, set: set)
    }

    package init(_ description: OptionDescription, get: @escaping HostFunction, set: HostFunction? = nil) {
        self.description = description
        self.get = get
        self.set = set
    }

    public var name: String { description.name }
    public var type: String { description.type }
    public var documentation: String { description.sentence }
}
