import CLuaJSON
import LuaRuntime
import RestEngine

/// Makes a large array or object of a Lua state in parts, between which the state does other work. It can't
/// be used after the state is closed.
final class TreeParts {
    /// The bytes of the tree for one part, which takes some tenths of a millisecond.
    private static let bytesOfPart = 32 << 10

    private let tree: Tree
    private let parts: OpaquePointer
    /// The coroutine on whose stack the value grows. It never runs.
    private let home: LuaReference
    /// Nil until all parts are made; false when there was no memory.
    private var isWhole: Bool?

    /// Nil when there is no memory.
    init?(of tree: Tree, on lua: Lua) {
        lua.checkStack(2)
        guard let parts = cjson_parts_begin(lua.pointer) else { return nil }
        self.tree = tree
        self.parts = parts
        home = lua.reference(-1)
        lua.pop()
    }

    deinit { cjson_parts_free(parts) }

    /// Makes one more part. True when there are no more.
    func advance() -> Bool {
        guard isWhole == nil else { return true }
        var making = cjson_making(lend: Lua.lend, big_as_text: false)
        let state = tree.withUnsafeBytes { bytes in
            cjson_parts_fill(
                parts, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Self.bytesOfPart, &making)
        }
        switch Int(state) {
        case CJSON_PARTS_MORE: return false
        case CJSON_PARTS_WHOLE: isWhole = true
        default: isWhole = false
        }
        return true
    }

    /// Pushes the complete value, once. When there is no memory, it acts as ``TreeExchange/push(_:on:)``
    /// does.
    func push(on lua: Lua) {
        guard isWhole == true else { return lua.pushNil() }
        lua.checkStack(1)
        cjson_parts_push(parts, lua.pointer)
    }
}
