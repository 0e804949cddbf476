/// A table's key, which can be put in order and shown.
public struct ValueKey: Comparable {
    private enum Content {
        case number(Double)
        case string([UInt8])
        case other
    }

    private let content: Content
    private let reference: LuaReference
    /// As in a table's constructor: `name`, `["odd name"]`, `[5]`.
    public let text: String
    /// As behind a table's name: `.name`, `["odd name"]`, `[5]`.
    public var step: String { text.hasPrefix("[") ? text : "." + text }

    public init(_ lua: Lua, _ index: Int32) {
        reference = lua.reference(index)
        if let number = lua.number(index) {
            content = .number(number)
            text = "[\((try? lua.tostring(index)) ?? "")]"
        } else if let bytes = lua.bytes(index) {
            content = .string(bytes)
            text = Self.text(of: bytes)
        } else {
            content = .other
            text = "[\(ValueText(limit: 60).text(lua, index))]"
        }
    }

    public func push(on lua: Lua) { lua.push(reference) }

    static func text(of name: [UInt8]) -> String {
        isName(name)
            ? String(decoding: name, as: UTF8.self)
            : "[\(name.withUnsafeBytes { ValueText.quoted($0, limit: 60) })]"
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, bytes.count <= 60,
            first < UInt8(ascii: "0") || first > UInt8(ascii: "9")
        else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// Numbers first, then strings, then the rest by how it is shown.
    private var rank: Int {
        switch content {
        case .number: 0
        case .string: 1
        case .other: 2
        }
    }

    public static func < (a: ValueKey, b: ValueKey) -> Bool {
        switch (a.content, b.content) {
        case (.number(let a), .number(let b)): a < b
        case (.string(let a), .string(let b)): a.lexicographicallyPrecedes(b)
        default: a.rank != b.rank ? a.rank < b.rank : a.text < b.text
        }
    }

    public static func == (a: ValueKey, b: ValueKey) -> Bool { !(a < b) && !(b < a) }
}
