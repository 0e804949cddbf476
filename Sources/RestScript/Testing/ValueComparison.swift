import LuaRuntime
import RestEngine

/// Compares two Lua values at any depth, without metamethods: tables by their fields, other values as
/// `rawequal` does.
///
/// It goes level by level and without recursion, so it finds the differences nearest to the root first, and
/// deep or cyclic tables do no harm.
@EngineActor
struct ValueComparison {
    /// The most differing fields of one table that are found before the first ones by order are taken.
    private static let looked = 200
    /// The most tables in one table that are sorted; further ones are compared in any order.
    private static let sorted = 1000

    private struct Pair: Hashable {
        let actual: UnsafeRawPointer
        let expected: UnsafeRawPointer
    }

    /// The path of two tables that are compared.
    private struct Path {
        let parent: Int?
        let step: String
    }

    private enum Outcome { case same, different, tables }

    private let context: ScriptContext
    private let lua: Lua

    init(_ context: ScriptContext, _ lua: Lua) {
        self.context = context
        self.lua = lua
    }

    /// The first differences, one more than are shown.
    func differences(_ actual: Int32, _ expected: Int32) -> [ValueDifference] {
        let bottom = lua.top
        defer { lua.setTop(bottom) }
        lua.checkStack(16)
        switch compare(actual, expected) {
        case .same: return []
        case .different: return [difference("", actual, expected)]
        case .tables: break
        }
        var search = Search(lua)
        search.add(actual, expected, Path(parent: nil, step: ""), lua)
        var found: [ValueDifference] = []
        var next = 0
        while next < search.places.count, found.count <= ValueDifference.shown {
            lua.rawGet(search.table, 2 * next + 1)
            lua.rawGet(search.table, 2 * next + 2)
            compareFields(lua.top - 1, lua.top, next, &search, &found)
            lua.pop(2)
            next += 1
        }
        return found
    }

    /// The pairs that are still to be compared. The tables are kept in a Lua table.
    private struct Search {
        let table: Int32
        var places: [Path] = []
        private var known: Set<Pair> = []

        init(_ lua: Lua) {
            lua.newTable()
            table = lua.top
        }

        /// A pair that was added before is not added again, because it is compared there.
        mutating func add(_ actual: Int32, _ expected: Int32, _ place: Path, _ lua: Lua) {
            guard let first = lua.identity(actual), let second = lua.identity(expected),
                known.insert(Pair(actual: first, expected: second)).inserted
            else { return }
            let count = places.count
            places.append(place)
            lua.pushShown(actual)
            lua.rawSet(table, 2 * count + 1)
            lua.pushShown(expected)
            lua.rawSet(table, 2 * count + 2)
        }

        func path(to place: Int) -> String {
            var steps: [String] = []
            var next: Int? = place
            while let current = next {
                steps.append(places[current].step)
                next = places[current].parent
            }
            return steps.reversed().joined()
        }
    }

    private func compare(_ actual: Int32, _ expected: Int32) -> Outcome {
        if lua.rawEqual(actual, expected) { return .same }
        return lua.type(actual) == .table && lua.type(expected) == .table ? .tables : .different
    }

    private func compareFields(
        _ actual: Int32, _ expected: Int32, _ place: Int, _ search: inout Search,
        _ found: inout [ValueDifference]
    ) {
        var fields: [(key: ValueKey, isMissing: Bool)] = []
        var tables: [ValueKey] = []
        var rest = 0
        try? lua.forEachPair(actual) { lua in
            let key = lua.top - 1
            lua.pushValue(at: key)
            lua.rawGet(expected)
            switch compare(key + 1, lua.top) {
            case .same: break
            case .tables:
                if tables.count < Self.sorted {
                    tables.append(ValueKey(lua, key))
                } else {
                    rest += 1
                }
            case .different:
                if fields.count < Self.looked { fields.append((ValueKey(lua, key), false)) }
            }
        }
        try? lua.forEachPair(expected) { lua in
            guard fields.count < Self.looked else { return }
            let key = lua.top - 1
            lua.pushValue(at: key)
            if lua.rawGet(actual) == .nil { fields.append((ValueKey(lua, key), true)) }
        }
        let path = fields.isEmpty ? "" : search.path(to: place)
        for field in fields.sorted(by: { $0.key < $1.key }).prefix(ValueDifference.shown + 1) {
            push(field.key, of: actual, expected)
            found.append(difference(path + field.key.step, lua.top - 1, lua.top))
            lua.pop(2)
        }
        for key in tables.sorted() {
            push(key, of: actual, expected)
            search.add(lua.top - 1, lua.top, Path(parent: place, step: key.step), lua)
            lua.pop(2)
        }
        guard rest > 0 else { return }
        // Pairs that were added above are known, so each counts once.
        try? lua.forEachPair(actual) { lua in
            let key = lua.top - 1
            lua.pushValue(at: key)
            lua.rawGet(expected)
            guard compare(key + 1, lua.top) == .tables else { return }
            search.add(
                key + 1, lua.top, Path(parent: place, step: ValueKey(lua, key).step), lua)
        }
    }

    /// Pushes the field of both tables.
    private func push(_ key: ValueKey, of actual: Int32, _ expected: Int32) {
        key.push(on: lua)
        lua.rawGet(actual)
        key.push(on: lua)
        lua.rawGet(expected)
    }

    private func difference(_ path: String, _ actual: Int32, _ expected: Int32) -> ValueDifference {
        if let strings = excerpts(actual, expected) {
            return ValueDifference(path: path, expected: strings.expected, actual: strings.actual)
        }
        let text = ValueText()
        let wanted = text.text(lua, expected)
        var got = text.text(lua, actual)
        // Two objects may look the same, and NaN is not equal to itself.
        if got == wanted { got += lua.type(actual) == .number ? "" : " (another one)" }
        return ValueDifference(path: path, expected: wanted, actual: got)
    }

    /// The parts of two long strings around their first difference.
    private func excerpts(_ actual: Int32, _ expected: Int32) -> (expected: String, actual: String)? {
        guard let first = lua.bytes(actual), let second = lua.bytes(expected),
            max(first.count, second.count) > 120
        else { return nil }
        let place = Self.same(first, second) + 1
        // Masked before it is cut: without its name a value would not be known as a secret.
        let (shown, wanted) = (Self.masked(first), Self.masked(second))
        let same = Self.same(shown, wanted)
        let start = max(0, same - 30)
        func excerpt(_ bytes: [UInt8], of count: Int) -> String {
            let end = min(bytes.count, same + 60)
            let part = start < end ? Array(bytes[start..<end]) : []
            let quoted = part.withUnsafeBytes { ValueText.quoted($0, limit: 200) }
            return (start > 0 ? "…" : "") + quoted + (end < bytes.count ? "…" : "")
                + " (\(count) bytes, from byte \(place) on)"
        }
        return (excerpt(wanted, of: second.count), excerpt(shown, of: first.count))
    }

    /// The number of equal bytes at the beginning.
    private static func same(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).prefix { $0 == $1 }.count
    }

    private static func masked(_ bytes: [UInt8]) -> [UInt8] {
        String(validating: bytes, as: UTF8.self).map { Array(SecretMask.standard.line($0).utf8) } ?? bytes
    }
}

/// One place in which two values differ.
struct ValueDifference {
    /// The path from the values to the difference, such as `.users[3].name`; empty for the values themselves.
    let path: String
    let expected: String
    let actual: String

    /// The most differences that are shown.
    static let shown = 5

    /// Several lines. The first one says that the values differ.
    static func text(_ differences: [ValueDifference]) -> String {
        var text = "the values differ"
        if differences.count == 1, let only = differences.first {
            if !only.path.isEmpty { text += " at \(only.path)" }
            return text + only.lines(indent: "  ")
        }
        for difference in differences.prefix(shown) {
            text += "\n  at \(difference.path)" + difference.lines(indent: "    ")
        }
        if differences.count > shown { text += "\n  and at other places" }
        return text
    }

    private func lines(indent: String) -> String {
        "\n\(indent)expected: \(expected)\n\(indent)actual:   \(actual)"
    }
}
