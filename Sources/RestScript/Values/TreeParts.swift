import CLuaJSON
import LuaRuntime
import RestEngine

/// A large array or object on its way into a Lua state, made in parts, between which the state does other
/// things. Of no use any more when the state is closed.
final class TreeParts {
    /// Bytes of the tree for one part: they take some tenths of a millisecond.
    private static let bytesOfPart = 32 << 10

    private let tree: Tree
    private let parts: OpaquePointer
    /// The value grows on the stack of this coroutine, which nobody runs.
    private let home: LuaReference
    /// Nil as long as there is more to come.
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

    /// Makes one more part. True when there is no more.
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

    /// Pushes the value, once, when it is whole. One for which there is no memory is as in
    /// ``TreeExchange/push(_:on:)``.
    func push(on lua: Lua) {
        guard isWhole == true else { return lua.pushNil() }
        lua.checkStack(1)
        cjson_parts_push(parts, lua.pointer)
    }
}
