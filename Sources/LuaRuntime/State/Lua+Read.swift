import CLua

extension Lua {
    public func type(_ index: Int32) -> LuaType {
        LuaType(code: lua_type(checked, index))
    }

    /// The type's name for messages; a host object has its class's.
    public func typeName(_ index: Int32) -> String {
        let type = type(index)
        guard type == .userdata, clua_object_at(raw, index) != nil, lua_getmetatable(raw, index) != 0 else {
            return type.name
        }
        defer { pop(2) }
        lua_pushstring(raw, "__name")
        lua_rawget(raw, -2)
        return string(-1) ?? type.name
    }

    /// Only of a string, numbers are not converted. Bytes that are no UTF-8 become U+FFFD; `bytes` keeps
    /// them.
    public func string(_ index: Int32) -> String? {
        withBytes(index) { String(decoding: $0, as: UTF8.self) }
    }

    public func bytes(_ index: Int32) -> [UInt8]? {
        withBytes(index) { [UInt8]($0) }
    }

    /// Lends the bytes of a string, valid inside `body` alone; nil for other types.
    public func withBytes<Result>(
        _ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        guard lua_type(checked, index) == LUA_TSTRING else { return nil }
        var length = 0
        let start = lua_tolstring(raw, index, &length)
        if length >= Self.largeBytes { clua_hand_over(state.core, length) }
        return try body(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// Strings that are shorter aren't worth counting.
    private static var largeBytes: Int { 4 << 10 }

    /// Says that the running host function has read so many bytes of the script's by other ways than this
    /// type.
    public func noteRead(_ bytes: Int) {
        if bytes >= Self.largeBytes { clua_hand_over(state.core, bytes) }
    }

    /// Of a number without fraction; strings are not converted.
    public func integer(_ index: Int32) -> Int64? {
        guard lua_type(checked, index) == LUA_TNUMBER else { return nil }
        var isInteger: Int32 = 0
        let value = lua_tointegerx(raw, index, &isInteger)
        return isInteger == 0 ? nil : Int64(value)
    }

    /// Of a number; strings are not converted.
    public func number(_ index: Int32) -> Double? {
        guard lua_type(checked, index) == LUA_TNUMBER else { return nil }
        return lua_tonumberx(raw, index, nil)
    }

    /// Whether the number is of Lua's integer subtype.
    public func isInteger(_ index: Int32) -> Bool {
        lua_isinteger(checked, index) != 0
    }

    /// Only of a boolean; see `isTruthy`.
    public func boolean(_ index: Int32) -> Bool? {
        guard lua_type(checked, index) == LUA_TBOOLEAN else { return nil }
        return lua_toboolean(raw, index) != 0
    }

    /// As a condition in a script: all but nil and false.
    public func isTruthy(_ index: Int32) -> Bool {
        lua_toboolean(checked, index) != 0
    }

    /// The Swift object of a host object.
    public func object(_ index: Int32) -> AnyObject? {
        // Unretained: the value on the stack holds it.
        clua_object_at(checked, index).map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    public func object<Object: AnyObject>(_ index: Int32, as type: Object.Type) -> Object? {
        guard let object = object(index) else { return nil }
        // Spares a hot path the search of `as?`; the class was just compared.
        if Swift.type(of: object) == type { return unsafeDowncast(object, to: type) }
        return object as? Object
    }

    /// The Swift error of a value that stands for one.
    public func error(_ index: Int32) -> (any Error)? {
        checkStack(3)
        return clua_error_at(raw, index).map {
            Unmanaged<ErrorBox>.fromOpaque($0).takeUnretainedValue().error
        }
    }

    /// Keeps the value, whatever it is.
    public func reference(_ index: Int32) -> LuaReference {
        pushValue(at: index)
        return LuaReference(home: state.home, slot: state.anchor(raw))
    }
}

extension Lua {
    /// A pointer that tells a table, function, thread or userdata from all others while it lives.
    public func identity(_ index: Int32) -> UnsafeRawPointer? {
        lua_topointer(checked, index).map { UnsafeRawPointer($0) }
    }
}

/// The basic types of Lua values.
public enum LuaType: Sendable {
    /// No value at all: an index beyond the top, or an argument that was not given.
    case none
    case `nil`, boolean, number, string, table, function, thread
    /// A host object, a Swift error, or a mark such as `rest.null`.
    case userdata

    init(code: Int32) {
        switch code {
        case LUA_TNIL: self = .nil
        case LUA_TBOOLEAN: self = .boolean
        case LUA_TNUMBER: self = .number
        case LUA_TSTRING: self = .string
        case LUA_TTABLE: self = .table
        case LUA_TFUNCTION: self = .function
        case LUA_TTHREAD: self = .thread
        case LUA_TUSERDATA, LUA_TLIGHTUSERDATA: self = .userdata
        default: self = .none
        }
    }

    /// The name that Lua uses in messages.
    public var name: String {
        switch self {
        case .none: "no value"
        case .nil: "nil"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .table: "table"
        case .function: "function"
        case .thread: "thread"
        case .userdata: "userdata"
        }
    }
}
