import CLua

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
