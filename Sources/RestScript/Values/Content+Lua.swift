import LuaRuntime
import RestEngine

extension ScriptValues {
    /// Pushes a content as scripts see it: strings, tables, an image object. Each push is a copy of its own.
    func push(_ content: Content, on lua: Lua) {
        switch content {
        case .bytes(let bytes): lua.push(bytes: bytes)
        case .text(let text): lua.push(text)
        case .json(let tree), .value(let tree): trees.push(tree, on: lua)
        case .image(let image): push(ScriptImage(image), on: lua)
        case .native: lua.pushNil()
        }
    }

    /// The content that a script gave; nil for nil. A string is text, unless it is none: then it is bytes.
    func content(_ lua: Lua, _ index: Int32) throws -> Content? {
        if trees.isNull(lua, index) { return .value(.null) }
        switch lua.type(index) {
        case .none, .nil: return nil
        case .string:
            let bytes = lua.bytes(index) ?? []
            guard let text = String(validating: bytes, as: UTF8.self) else { return .bytes(bytes) }
            return .text(text)
        case .userdata:
            if let bytes = lua.object(index, as: ScriptBytes.self) { return .bytes(bytes.bytes) }
            if let image = lua.object(index, as: ScriptImage.self) { return .image(image.image) }
            throw LuaUsageError(
                "content can't be \(lua.nameOfResult(index)): give a table, text or rest.bytes(…)")
        default:
            do { return .value(try trees.tree(lua, index)) } catch {
                throw LuaUsageError("content can't be made of this value: \(error.message)")
            }
        }
    }

    /// Pushes `.text` of a content: its text, or an empty string (rule 27.1).
    func pushText(of content: Content?, on lua: Lua) { lua.push(content?.text ?? "") }

    /// Pushes `.json` of a content: its table, or an empty one.
    func pushJSON(of content: Content?, on lua: Lua) {
        guard let tree = content?.tree, tree.kind == .object || tree.kind == .array else {
            return lua.newTable()
        }
        trees.push(tree, on: lua)
    }
}
