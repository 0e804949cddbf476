import LuaRuntime
import Platform
import RestEngine

/// The longest text of one kind that a script may give (limits L240–L244, L311). A longer text would be of
/// no use, and would cost much work, because each text is copied and searched several times.
struct TextLimit {
    let bytes: Int
    /// The text's name in messages.
    let what: String

    static let path = TextLimit(bytes: 64 << 10, what: "a path")
    static let url = TextLimit(bytes: 2 << 20, what: "a URL")
    static let pattern = TextLimit(bytes: 8 << 10, what: "a pattern")
    static let description = TextLimit(bytes: 4 << 10, what: "a description")
    static let name = TextLimit(bytes: 1 << 10, what: "a name")
    static let credential = TextLimit(bytes: 8 << 10, what: "a user or a password")

    /// Nil when the text is short enough.
    func refusal(of count: Int) -> String? {
        guard count > bytes else { return nil }
        return "\(what) takes \(Platform.ByteCount.text(bytes)) at most, and this one \(count) bytes"
    }
}

extension Arguments {
    /// A string whose length is checked before it is copied.
    func text(_ index: Int32, _ name: String, _ limit: TextLimit) throws -> String {
        if type(index) == .string, let refusal = limit.refusal(of: lua.rawLength(slot(index))) {
            throw bad(index, name, refusal)
        }
        return try string(index, name)
    }

    func optionalText(_ index: Int32, _ name: String, _ limit: TextLimit) throws -> String? {
        isAbsent(index) ? nil : try text(index, name, limit)
    }
}

extension OptionTable {
    func text(_ key: String, _ limit: TextLimit) throws -> String? {
        guard let place = value(key) else { return nil }
        let refusal = lua.type(place) == .string ? limit.refusal(of: lua.rawLength(place)) : nil
        lua.pop()
        if let refusal { throw LuaUsageError("bad option '\(key)' (\(refusal))") }
        return try string(key)
    }
}

extension Resource {
    /// A URL may become too long even when each of its parts is short enough.
    func limited() throws -> Resource {
        guard let refusal = TextLimit.url.refusal(of: urlString.utf8.count) else { return self }
        throw LuaUsageError(refusal)
    }
}
