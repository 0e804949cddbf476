/// What files of Lua may begin with and chunks may not: a byte order mark, and a first line for the system's loader
/// (`#!`). Lua's own `luaL_loadfilex` skips the same.
public enum LuaFileText {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The text without them. The end of the first line stays, so lines keep their numbers.
    public static func chunk(_ file: [UInt8]) -> [UInt8] {
        var text = file[...]
        if text.starts(with: mark) { text = text.dropFirst(mark.count) }
        if text.first == UInt8(ascii: "#") { text = text.drop { $0 != UInt8(ascii: "\n") } }
        return text.count == file.count ? file : Array(text)
    }
}
