import CJSON
import CLuaJSON
import LuaRuntime
import RestEngine

/// Converts values between a Lua state and trees. One buffer serves all conversions, so they allocate little.
final class TreeExchange {
    private var buffer = cjson_buffer()
    private let preference = TextPreference()

    init() {}

    func close() { cjson_buffer_free(&buffer) }

    /// Makes null, marks and classes of the state. It runs before any script, so no memory limit can refuse
    /// it.
    func open(_ lua: Lua) {
        cjson_open(lua.pointer)
        for mark in [cjson_mark_array, cjson_mark_object] {
            lua.newTable()
            mark(lua.pointer, -1)
            if lua.pushMetatable(-1) { lua.letScriptsRemoveMetatable() }
            lua.pop()
        }
    }

    /// Makes tables keep their metatables when they come back to this state.
    func keepClasses(_ lua: Lua) { cjson_keep_classes(lua.pointer) }

    /// Pushes the value of a tree. It raises no error: the state grants memory while Swift is innermost, and
    /// the stack has room for the deepest tree (CLua/lua_stack.c). When there is no memory for the value, it
    /// stops, pushes nil, and the script gets an error at its next step.
    func push(_ tree: Tree, on lua: Lua) {
        lua.checkStack(4)
        var making = cjson_making(lend: Lua.lend, big_as_text: false)
        if let (number, text) = tree.text?.reading,
            withExtendedLifetime(text, { cjson_push_reading(lua.pointer, number, text.count, &making) })
        {
            return
        }
        tree.withUnsafeBytes { bytes in
            _ = cjson_push_tree(
                lua.pointer, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &making)
        }
    }

    /// The value as a tree. Throws a message with the path of a part that can't be converted, such as a
    /// function or a cycle; or when the script's time is used up, as ``json(_:_:)`` does.
    func tree(_ lua: Lua, _ index: Int32) throws(LuaUsageError) -> Tree {
        var error = cjson_error()
        var limits = cjson_limits(depth: 0, bytes: 0, stop: lua.state.spentFlag)
        guard cjson_tree_from_lua(lua.pointer, index, &limits, &buffer, &error) == CJSON_OK else {
            throw Self.failure(&error)
        }
        lua.noteRead(buffer.count)
        return Tree(encoded: takeBytes())
    }

    /// The same for a value that will most likely be needed as JSON text. It makes text at once when text can
    /// hold the whole value.
    func publishedTree(_ lua: Lua, _ index: Int32) throws(LuaUsageError) -> Tree {
        guard lua.type(index) == .table, preference.takesText() else { return try tree(lua, index) }
        var error = cjson_error()
        var limits = cjson_limits(depth: 0, bytes: Tree.mostWrittenBytes, stop: lua.state.spentFlag)
        switch Int(cjson_plain_json_from_lua(lua.pointer, index, &limits, &buffer, &error)) {
        case CJSON_OK:
            lua.noteRead(buffer.count)
            return Tree(written: takeBytes(), preference)
        case CJSON_TOO_LARGE: preference.noteTreeWanted()
        default: break
        }
        return try tree(lua, index)
    }

    /// The value as JSON text.
    func json(_ lua: Lua, _ index: Int32) throws(LuaUsageError) -> [UInt8] {
        var error = cjson_error()
        var limits = cjson_limits(depth: 0, bytes: 0, stop: lua.state.spentFlag)
        guard cjson_json_from_lua(lua.pointer, index, &limits, &buffer, &error) == CJSON_OK else {
            throw Self.failure(&error)
        }
        lua.noteRead(buffer.count)
        return takeBytes()
    }

    /// Pushes the value of a JSON text. When the text is malformed, it pushes nothing and throws. When there
    /// is no memory, it acts as ``push(_:on:)`` does. A tree takes no more memory than the value, except for
    /// long names.
    func pushJSON(
        _ bytes: UnsafeRawBufferPointer, bigAsText: Bool, on lua: Lua
    ) throws(LuaUsageError) {
        var error = cjson_error()
        lua.checkStack(4)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        let limit = lua.state.memoryLimit
        var limits = cjson_limits(depth: 0, bytes: max(1, limit), stop: nil)
        var making = cjson_making(lend: Lua.lend, big_as_text: bigAsText)
        switch Int(cjson_push_json(lua.pointer, start, bytes.count, &limits, &making, &error)) {
        case CJSON_OK: return
        case CJSON_NO_MEMORY: lua.pushNil()
        case CJSON_TOO_LARGE:
            _ = Lua.lend(lua.pointer, limit + 1)
            lua.pushNil()
        default: throw LuaUsageError("malformed JSON at byte \(error.offset): " + Self.message(of: &error))
        }
    }

    func pushNull(on lua: Lua) { cjson_push_null(lua.pointer) }

    func isNull(_ lua: Lua, _ index: Int32) -> Bool { cjson_is_null(lua.pointer, index) }

    /// The number of a class in trees. The class has the metatable at `index`.
    func register(class lua: Lua, _ index: Int32) -> UInt32 { cjson_register_class(lua.pointer, index) }

    func markArray(_ lua: Lua, _ index: Int32) { cjson_mark_array(lua.pointer, index) }

    func markObject(_ lua: Lua, _ index: Int32) { cjson_mark_object(lua.pointer, index) }

    private func takeBytes() -> [UInt8] {
        [UInt8](UnsafeBufferPointer(start: buffer.data, count: buffer.count))
    }

    private static func failure(_ error: inout cjson_error) -> LuaUsageError {
        Int(error.code) == CJSON_STOPPED ? .spent : LuaUsageError(message(of: &error))
    }

    private static func message(of error: inout cjson_error) -> String {
        withUnsafeBytes(of: &error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
