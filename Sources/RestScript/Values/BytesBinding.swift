import LuaRuntime
import RestEngine

/// `rest.bytes`, and what it gives.
struct BytesBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "bytes", signature: "(s: string) -> bytes",
                    documentation: "Makes a string bytes, where it would be text."
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

/// `rest.bytes(s)`: a string that is no text.
final class ScriptBytes {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

// Where bytes are wanted, a string and `rest.bytes(s)` are the same.
extension Lua {
    /// Nil for what is neither.
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

/// An image content in a script's hands.
final class ScriptImage {
    let image: Image
    init(_ image: Image) { self.image = image }
}
