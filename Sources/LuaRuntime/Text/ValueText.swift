import CLua

/// Lua values for people: on one line, of bounded size, tables with their keys in order.
public struct ValueText {
    /// Levels of tables inside each other.
    private static let maxDepth = 5
    /// Fields of one table.
    private static let maxFields = 20
    /// Bytes of one string.
    private static let maxString = 200
    /// Fields that are looked at, to put them in order.
    private static let maxSorted = 2000

    /// Bytes that the text takes at most, but for what closes it.
    private let limit: Int

    public init(limit: Int = 800) {
        self.limit = limit
    }

    /// Of the value at `index`. The text of the values inside comes from their metamethods, as with
    /// `tostring`.
    public func text(_ lua: Lua, _ index: Int32) -> String {
        var writer = Writer(left: limit)
        lua.checkStack(16)
        write(lua, lua.absolute(index), to: &writer, depth: 0)
        return writer.text
    }

    private struct Writer {
        var text = ""
        var left: Int
        /// Tables that are being written, against cycles.
        var open: Set<UnsafeRawPointer> = []

        var isFull: Bool { left <= 0 }

        mutating func put(_ piece: String) {
            text += piece
            left -= piece.utf8.count
        }
    }

    private func write(_ lua: Lua, _ index: Int32, to writer: inout Writer, depth: Int) {
        switch lua.type(index) {
        case .string:
            writer.put(lua.withBytes(index) { Self.quoted($0, limit: Self.maxString) } ?? "")
        case .table: writeTable(lua, index, to: &writer, depth: depth)
        case .function:
            writer.put(lua.place(ofFunction: index).map { "function \($0)" } ?? "function")
        case .thread: writer.put("coroutine")
        case .userdata:
            writer.put(Self.shortened((try? lua.tostring(index)) ?? lua.typeName(index)))
        default: writer.put((try? lua.tostring(index)) ?? "nil")
        }
    }

    private func writeTable(_ lua: Lua, _ index: Int32, to writer: inout Writer, depth: Int) {
        guard let identity = lua.identity(index), !writer.open.contains(identity) else {
            return writer.put("<the same table>")
        }
        // An object that can say what it is knows better than its fields.
        if depth > 0, lua.pushMetatable(index) {
            let isReadable = lua.rawGet(-1, "__tostring") != .nil
            lua.pop(2)
            if isReadable, let said = try? lua.tostring(index) { return writer.put(Self.shortened(said)) }
        }
        guard !lua.state.isSpent else { return writer.put("…") }
        lua.checkStack(8)
        let height = lua.top
        defer { lua.setTop(height) }
        // The content of a frozen table lies elsewhere.
        let index = clua_push_content(lua.raw, index) ? lua.top : index
        let count = lua.rawLength(index)
        let keys = sortedKeys(lua, index, besides: count)
        guard count > 0 || !keys.isEmpty else { return writer.put("{}") }
        guard depth < Self.maxDepth else { return writer.put("{ … }") }
        writer.open.insert(identity)
        defer { writer.open.remove(identity) }
        writer.put("{ ")
        var written = 0
        func begin() -> Bool {
            if written > 0 { writer.put(", ") }
            guard written < Self.maxFields, !writer.isFull else {
                writer.put("…")
                return false
            }
            written += 1
            return true
        }
        var isCut = false
        for item in 0..<count {
            guard begin() else {
                isCut = true
                break
            }
            lua.rawGet(index, item + 1)
            write(lua, lua.top, to: &writer, depth: depth + 1)
            lua.pop()
        }
        if !isCut {
            for key in keys {
                guard begin() else { break }
                writer.put(key.text + " = ")
                key.push(on: lua)
                lua.rawGet(index)
                write(lua, lua.top, to: &writer, depth: depth + 1)
                lua.pop()
            }
        }
        writer.put(" }")
    }

    private func sortedKeys(_ lua: Lua, _ index: Int32, besides count: Int) -> [ValueKey] {
        var keys: [ValueKey] = []
        var looked = 0
        try? lua.forEachPair(index) { lua in
            looked += 1
            guard looked <= Self.maxSorted else { throw LookedEnough() }
            if let item = lua.integer(-2), lua.isInteger(-2), item >= 1, item <= count { return }
            keys.append(ValueKey(lua, lua.top - 1))
        }
        return keys.sorted()
    }

    private struct LookedEnough: Error {}

    /// A table of names with values that are texts for people already.
    public static func record(_ fields: [(name: String, value: String)]) -> String {
        guard !fields.isEmpty else { return "{}" }
        var shown = fields.prefix(50).map { "\(ValueKey.text(of: Array($0.name.utf8))) = \($0.value)" }
        if fields.count > shown.count { shown.append("…") }
        return "{ " + shown.joined(separator: ", ") + " }"
    }

    // MARK: Strings

    /// In quotes, with escapes for what is no printable text.
    public static func quoted(_ bytes: UnsafeRawBufferPointer, limit: Int) -> String {
        let isCut = bytes.count > limit
        var shown = Array(isCut ? UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)) : bytes)
        // Not in the middle of a character.
        while isCut, let last = shown.last, last & 0xC0 == 0x80 { shown.removeLast() }
        if isCut, let last = shown.last, last >= 0xC0 { shown.removeLast() }
        let end = isCut ? "\"… (\(bytes.count) bytes)" : "\""
        // Most strings are plain ASCII.
        if shown.allSatisfy({
            (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }) {
            return "\"" + String(decoding: shown, as: UTF8.self) + end
        }
        let isText = String(validating: shown, as: UTF8.self) != nil
        var text = "\""
        if isText {
            for scalar in String(decoding: shown, as: UTF8.self).unicodeScalars { text += escaped(scalar) }
        } else {
            for byte in shown { text += byte < 0x80 ? escaped(Unicode.Scalar(byte)) : hex(byte) }
        }
        return text + end
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\"": "\\\""
        case "\\": "\\\\"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F: hex(UInt8(scalar.value))
        // Marks that turn the direction of a terminal's text, and other invisible ones.
        case _ where scalar.properties.generalCategory == .format || (0x80..<0xA0).contains(scalar.value):
            "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }

    /// The first line of an object's own text.
    private static func shortened(_ said: String) -> String {
        let line = said.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return line.utf8.count > maxString ? line.prefix(maxString) + "…" : line
    }
}

extension Lua {
    /// The text of a value in a script's output: the content of a table without `__tostring`, for others the
    /// result of `tostring`.
    public func printed(_ index: Int32) throws(LuaError) -> String {
        holdsPlainTable(index) ? ValueText(limit: 4000).text(self, index) : try tostring(index)
    }

    /// A table without `__tostring`.
    private func holdsPlainTable(_ index: Int32) -> Bool {
        guard type(index) == .table else { return false }
        guard pushMetatable(index) else { return true }
        defer { pop(2) }
        return rawGet(-1, "__tostring") == .nil
    }
}
