import ContentFormats
import LuaRuntime

/// Follows a path through the tables of elements, in the document's order. It gives the script's own tables,
/// so that changes to them change the document.
struct XMLSearch {
    private let path: XMLPath
    private let lua: Lua
    /// Nil for all.
    private let limit: Int?
    /// The place of the table of results.
    private let results: Int32
    private var count = 0
    private var visited = 0

    /// Tables that contain themselves, or share parts, would be endless.
    private static let mostVisited = 10_000_000

    /// Pushes a list of the elements or attributes.
    static func push(_ path: XMLPath, from element: Int32, limit: Int?, on lua: Lua) throws {
        lua.newTable()
        var search = XMLSearch(path: path, lua: lua, limit: limit, results: lua.top)
        try search.run(element)
    }

    private init(path: XMLPath, lua: Lua, limit: Int?, results: Int32) {
        (self.path, self.lua, self.limit, self.results) = (path, lua, limit, results)
    }

    private var isDone: Bool { limit.map { count >= $0 } ?? false }

    private mutating func run(_ element: Int32) throws {
        if path.steps.isEmpty { try giveAttribute(of: element) }
        try visit(element, active: 1, depth: 0)
    }

    /// Visits the children of an element.
    ///
    /// - Parameter active: A bit for each step that may be made here. The bit behind the last step stands for
    ///   an attribute of a descendant.
    private mutating func visit(_ element: Int32, active: UInt64, depth: Int) throws {
        guard depth <= FormatLimits.mostDepth else {
            throw LuaUsageError("elements are nested more than \(FormatLimits.mostDepth) levels deep")
        }
        lua.checkStack(8)
        guard lua.rawGet(element, "children") == .table else { return lua.pop() }
        let children = lua.top
        defer { lua.setTop(children - 1) }
        let matches = try matches(children, active)
        var index = 1
        while !isDone, try lua.rawItem(children, index) != .nil {
            defer {
                lua.setTop(children)
                index += 1
            }
            guard lua.type(-1) == .table else { continue }
            visited += 1
            guard visited <= Self.mostVisited else {
                throw LuaUsageError("the path leads through more than \(Self.mostVisited) elements")
            }
            try arrive(at: lua.top, matches.map { ($0.step, $0.children.contains(index)) }, active, depth)
        }
    }

    private mutating func arrive(
        at child: Int32, _ matches: [(step: Int, fits: Bool)], _ active: UInt64, _ depth: Int
    ) throws {
        var next: UInt64 = 0
        var isFound = false
        for (step, fits) in matches {
            if path.steps[step].descends { next |= 1 << UInt64(step) }
            guard fits else { continue }
            if step == path.steps.count - 1 { isFound = true }
            if step < path.steps.count - 1 || path.attributeDescends { next |= 1 << UInt64(step + 1) }
        }
        let end = UInt64(1) << UInt64(path.steps.count)
        let isBelow = path.attributeDescends && active & end != 0
        if isBelow { next |= end }
        if path.attribute != nil {
            if isFound || isBelow { try giveAttribute(of: child) }
        } else if isFound {
            lua.pushValue(at: child)
            give()
        }
        if next != 0, !isDone { try visit(child, active: next, depth: depth + 1) }
    }

    private mutating func give() {
        count += 1
        lua.rawSet(results, count)
    }

    private mutating func giveAttribute(of element: Int32) throws {
        guard let name = path.attribute, !isDone else { return }
        if pushAttribute(name, of: element) {
            give()
        } else {
            lua.pop()
        }
    }

    // MARK: Conditions

    /// The children that fit each active step.
    private func matches(_ children: Int32, _ active: UInt64) throws -> [(step: Int, children: Set<Int>)] {
        var matches: [(step: Int, children: Set<Int>)] = []
        for (number, step) in path.steps.enumerated() where active & (1 << UInt64(number)) != 0 {
            var fitting: [Int] = []
            var index = 1
            while try lua.rawItem(children, index) != .nil {
                if lua.type(-1) == .table, isNamed(step.name, lua.top) { fitting.append(index) }
                lua.pop()
                index += 1
            }
            lua.pop()
            for predicate in step.predicates {
                fitting = try fitting.enumerated().filter { position, index in
                    _ = lua.rawGet(children, index)
                    defer { lua.pop() }
                    return try holds(predicate, lua.top, position: position + 1, of: fitting.count)
                }.map(\.element)
            }
            matches.append((number, Set(fitting)))
        }
        return matches
    }

    private func holds(
        _ predicate: XMLPath.Predicate, _ element: Int32, position: Int, of count: Int
    ) throws -> Bool {
        switch predicate {
        case .position(let wanted): return position == wanted
        case .last: return position == count
        case .text(let wanted): return text(of: element) == wanted
        case .attribute(let name, let wanted):
            let isThere = pushAttribute(name, of: element)
            defer { lua.pop() }
            return isThere && (wanted == nil || lua.string(-1) == wanted)
        case .child(let name, let wanted):
            guard lua.rawGet(element, "children") == .table else {
                lua.pop()
                return false
            }
            let children = lua.top
            defer { lua.setTop(children - 1) }
            var index = 1
            while try lua.rawItem(children, index) != .nil {
                if lua.type(-1) == .table, isNamed(name, lua.top),
                    wanted == nil || text(of: lua.top) == wanted
                {
                    return true
                }
                lua.pop()
                index += 1
            }
            return false
        }
    }

    private func isNamed(_ name: XMLPath.Name, _ element: Int32) -> Bool {
        if let local = name.local, string("name", of: element) != local { return false }
        guard let namespace = name.namespace else { return true }
        return (string("namespace", of: element) ?? "") == namespace
    }

    private func text(of element: Int32) -> String { string("text", of: element) ?? "" }

    private func string(_ field: String, of element: Int32) -> String? {
        defer { lua.pop() }
        return lua.rawGet(element, field) == .string ? lua.string(-1) : nil
    }

    /// Pushes the value, or something else if there is none.
    private func pushAttribute(_ name: String, of element: Int32) -> Bool {
        guard lua.rawGet(element, "attributes") == .table else { return false }
        let isThere = lua.rawGet(lua.top, name) != .nil
        lua.remove(-2)
        return isThere
    }
}
