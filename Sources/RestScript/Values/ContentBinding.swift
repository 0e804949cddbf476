import LuaRuntime
import Platform
import RestEngine

extension ScriptValues {
    /// Pushes a content as scripts get it: a string, a table, an image object. Each push makes a copy.
    func push(_ content: Content, on lua: Lua) {
        switch content {
        case .bytes(let bytes): lua.push(bytes: bytes)
        case .text(let text): lua.push(text)
        case .json(let tree), .value(let tree): trees.push(tree, on: lua)
        case .image(let image): push(ScriptImage(image), on: lua)
        case .native: lua.pushNil()
        }
    }

    /// The content that a script gave; nil for nil. A string is text, or bytes when it is not valid UTF-8.
    ///
    /// - Parameter isPublished: True when a table will most likely be needed as JSON text.
    func content(_ lua: Lua, _ index: Int32, isPublished: Bool = false) throws -> Content? {
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
            do {
                return .value(
                    isPublished ? try trees.publishedTree(lua, index) : try trees.tree(lua, index))
            } catch {
                guard error != .spent else { throw error }
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

/// `rest.bytes`, and the Lua class of its results.
struct BytesBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "bytes", signature: "(s: string) -> bytes",
                    documentation: "Marks a string as bytes, where it would count as text."
                ) { call in
                    values.push(ScriptBytes(try call.bytes(1, "s")), on: call.lua)
                    return .one
                }
            ],
            classes: [BoundClass(ScriptBytes.self, makeBytesClass)])
    }

    private func makeBytesClass() -> LuaClass {
        LuaClass(
            "bytes", documentation: "A string that is bytes, not text; made by rest.bytes.",
            properties: [
                LuaProperty("string", type: "string", documentation: "The bytes as a Lua string.") { call in
                    call.lua.push(bytes: try call.receiver(as: ScriptBytes.self).bytes)
                    return .one
                }
            ],
            tostring: { ($0 as? ScriptBytes).map { "bytes (\($0.bytes.count))" } ?? "bytes" })
    }
}

/// `rest.bytes(s)`: a string that is not text.
final class ScriptBytes: LuaObject {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var keptBytes: Int { bytes.count }
}

// Functions that take bytes accept a string or `rest.bytes(s)`.
extension Lua {
    /// Nil for values of other types.
    func rawBytes(_ index: Int32) -> [UInt8]? {
        type(index) == .string ? bytes(index) : object(index, as: ScriptBytes.self)?.bytes
    }
}

extension Arguments {
    func rawBytes(_ index: Int32, _ name: String) throws -> [UInt8] {
        if let box = lua.object(slot(index), as: ScriptBytes.self) { return box.bytes }
        return try bytes(index, name)
    }
}

extension OptionTable {
    func rawBytes(_ key: String) throws -> [UInt8]? {
        guard let place = value(key) else { return nil }
        let box = lua.object(place, as: ScriptBytes.self)
        lua.pop()
        return try box?.bytes ?? bytes(key)
    }
}

extension OptionField where Values == OptionTable {
    static func rawBytes(
        _ name: String, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, [UInt8]) throws -> Void
    ) -> Self {
        Self(name, type: "string", sentence) { options, target, _ in
            if let bytes = try options.rawBytes(name) { try store(&target, bytes) }
        }
    }
}

/// The content of image resources.
struct ImageBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet { BindingSet(classes: [BoundClass(ScriptImage.self, makeImageClass)]) }

    private func makeImageClass() -> LuaClass {
        LuaClass(
            "image", documentation: "The content of an image resource.",
            properties: [
                LuaProperty("format", type: "string", documentation: "`png`, `jpeg`, `gif`, `webp` or `bmp`.")
                { call in
                    call.lua.push(try call.receiver(as: ScriptImage.self).image.format.rawValue)
                    return .one
                },
                LuaProperty("width", type: "integer", documentation: "In pixels.") { call in
                    call.lua.push(try call.receiver(as: ScriptImage.self).image.width)
                    return .one
                },
                LuaProperty("height", type: "integer", documentation: "In pixels.") { call in
                    call.lua.push(try call.receiver(as: ScriptImage.self).image.height)
                    return .one
                },
                LuaProperty("bytes", type: "string", documentation: "The file as it came.") { call in
                    call.lua.push(bytes: try call.receiver(as: ScriptImage.self).image.bytes)
                    return .one
                },
            ])
    }
}

/// An image content as a Lua object.
final class ScriptImage: LuaObject {
    let image: Image
    init(_ image: Image) { self.image = image }

    var keptBytes: Int { image.bytes.count }
}
