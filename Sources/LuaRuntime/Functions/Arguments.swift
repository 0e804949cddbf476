/// The arguments of one call. Each reader names argument and function when the script gave something else.
///
/// Argument 1 is the first after the object in a method, the first of all in a function, the new value in a
/// setter.
public struct Arguments {
    public let lua: Lua
    let box: HostBox

    /// How many arguments the script gave; trailing nils count.
    public var count: Int32 { lua.top - offset }

    /// The object of a method or property.
    public func receiver<Object: AnyObject>(as type: Object.Type = Object.self) throws -> Object {
        if let object = lua.object(1, as: type) { return object }
        throw wrongReceiver
    }

    public func string(_ index: Int32, _ name: String) throws -> String {
        try read(index, name, "string") { lua.string($0) }
    }

    public func bytes(_ index: Int32, _ name: String) throws -> [UInt8] {
        try read(index, name, "string") { lua.bytes($0) }
    }

    /// A number without fraction; a number that has one is refused, not rounded.
    public func integer(_ index: Int32, _ name: String) throws -> Int64 {
        if let value = lua.integer(slot(index)) { return value }
        guard lua.number(slot(index)) == nil else {
            throw bad(index, name, "number has no integer representation")
        }
        throw wrongType(index, name, "integer")
    }

    public func number(_ index: Int32, _ name: String) throws -> Double {
        try read(index, name, "number") { lua.number($0) }
    }

    public func boolean(_ index: Int32, _ name: String) throws -> Bool {
        try read(index, name, "boolean") { lua.boolean($0) }
    }

    public func function(_ index: Int32, _ name: String) throws -> LuaReference {
        guard lua.type(slot(index)) == .function else { throw wrongType(index, name, "function") }
        return lua.reference(slot(index))
    }

    /// The table's place on the stack.
    public func table(_ index: Int32, _ name: String) throws -> Int32 {
        guard lua.type(slot(index)) == .table else { throw wrongType(index, name, "table") }
        return slot(index)
    }

    /// Any value but a missing one; its place on the stack. Nil is a value.
    public func any(_ index: Int32, _ name: String) throws -> Int32 {
        guard lua.type(slot(index)) != .none else { throw bad(index, name, "value expected") }
        return slot(index)
    }

    /// `expected` is what the message calls it; default: the name of the class whose objects are of this
    /// type.
    public func object<Object: AnyObject>(
        _ index: Int32, _ name: String, as type: Object.Type, expected: String? = nil
    ) throws -> Object {
        if let object = lua.object(slot(index), as: type) { return object }
        throw wrongType(index, name, expected ?? lua.state.name(ofObjectsOf: type))
    }

    /// A table of named options; a missing one counts as empty. `example`: how it is written, for the error
    /// when something else is given.
    public func options(
        _ index: Int32, _ name: String = "options", example: String? = nil
    ) throws -> OptionTable {
        guard !isAbsent(index) else { return OptionTable(lua: lua, table: nil, owner: box.name) }
        // The fields of a frozen table can't be read as options, and a module is no table of options.
        guard !lua.isFrozen(slot(index)) else { throw wrongType(index, name, "table of options") }
        if let example, type(index) != .table {
            throw LuaUsageError("\(wrongType(index, name, "table").message): write \(example)")
        }
        return OptionTable(lua: lua, table: try table(index, name), owner: box.name)
    }

    /// The script gave no such argument, or nil for it.
    public func isAbsent(_ index: Int32) -> Bool {
        let type = lua.type(slot(index))
        return type == .none || type == .nil
    }

    public func type(_ index: Int32) -> LuaType { lua.type(slot(index)) }

    /// Where argument `index` lies on the stack.
    public func slot(_ index: Int32) -> Int32 { index + offset }

    private var offset: Int32 { box.role == .function ? 0 : 1 }

    private func read<Value>(
        _ index: Int32, _ name: String, _ expected: String, _ body: (Int32) -> Value?
    ) throws -> Value {
        guard let value = body(slot(index)) else { throw wrongType(index, name, expected) }
        return value
    }
}

/// Readers that take a missing argument or nil as nil, and are as strict as the others otherwise.
extension Arguments {
    public func optionalString(_ index: Int32, _ name: String) throws -> String? {
        isAbsent(index) ? nil : try string(index, name)
    }

    public func optionalInteger(_ index: Int32, _ name: String) throws -> Int64? {
        isAbsent(index) ? nil : try integer(index, name)
    }

    public func optionalNumber(_ index: Int32, _ name: String) throws -> Double? {
        isAbsent(index) ? nil : try number(index, name)
    }

    public func optionalBoolean(_ index: Int32, _ name: String) throws -> Bool? {
        isAbsent(index) ? nil : try boolean(index, name)
    }

    public func optionalFunction(_ index: Int32, _ name: String) throws -> LuaReference? {
        isAbsent(index) ? nil : try function(index, name)
    }

    public func optionalTable(_ index: Int32, _ name: String) throws -> Int32? {
        isAbsent(index) ? nil : try table(index, name)
    }

    public func optionalObject<Object: AnyObject>(
        _ index: Int32, _ name: String, as type: Object.Type, expected: String? = nil
    ) throws -> Object? {
        isAbsent(index) ? nil : try object(index, name, as: type, expected: expected)
    }
}

extension Arguments {
    /// "bad argument #1 'path' to 'resource' (string expected, got nil)".
    public func wrongType(_ index: Int32, _ name: String, _ expected: String) -> LuaUsageError {
        let got = isModule(index) ? "the module: write \(box.name)(…), with a dot" : lua.typeName(slot(index))
        return bad(index, name, "\(expected) expected, got \(got)")
    }

    var wrongReceiver: LuaUsageError {
        LuaUsageError(
            "bad object for '\(box.name)' (\(box.className) expected, got \(lua.typeName(1)));"
                + " call it as \(box.className):\(box.name)(…)")
    }

    /// `module:f(…)` gives the module itself as the first argument.
    func isModule(_ index: Int32) -> Bool {
        box.role == .function && index == 1 && lua.isFrozen(slot(1))
    }

    /// Throws when the call has a colon for a dot, or a dot for a colon, which moves all arguments by one.
    func requireOwnReceiver() throws {
        if box.role == .method, lua.type(1) != .userdata { throw wrongReceiver }
        if isModule(1) {
            throw LuaUsageError("'\(box.name)' is a function of the module: write \(box.name)(…), with a dot")
        }
    }

    /// "bad argument #1 'path' to 'resource' (reason)"; of a setter: "bad value for 'path' of resource
    /// (reason)".
    public func bad(_ index: Int32, _ name: String, _ reason: String) -> LuaUsageError {
        // With a dot for the colon all arguments are one place off.
        if box.role == .method, lua.type(1) != .userdata { return wrongReceiver }
        return box.role == .field
            ? LuaUsageError("bad value for '\(box.name)' of \(box.className) (\(reason))")
            : LuaUsageError("bad argument #\(index) '\(name)' to '\(box.name)' (\(reason))")
    }
}
