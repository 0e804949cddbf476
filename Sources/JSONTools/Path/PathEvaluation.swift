package import RestEngine

extension JSONPath {
    /// The bytes of all values that a path finds.
    static let mostFoundBytes = 64 << 20

    /// One value that a path found.
    package struct Match {
        package let value: Tree
        let place: PathPlace?

        /// The normalized path (RFC 9535 2.7).
        package var path: String { PathPlace.path(place) }
    }

    /// The values in `tree`, in order.
    ///
    /// - Parameters:
    ///   - withPaths: False saves work if nobody asks for the paths.
    ///   - most: More matches are an error.
    package func matches(
        in tree: Tree, withPaths: Bool = false, most: Int = 1_000_000, work: WorkLimit
    ) throws -> [Match] {
        var evaluation = PathEvaluation(root: tree, withPaths: withPaths, most: most, work: work)
        let matches = try evaluation.nodes(of: query, at: tree)
        // A value is found again in each value that has it.
        guard matches.reduce(0, { $0 + $1.value.byteCount }) <= Self.mostFoundBytes else {
            throw JSONToolsError(
                "the values that the path finds take more than \(Self.mostFoundBytes >> 20) MiB")
        }
        return matches
    }
}

/// The way to a value, from its end.
final class PathPlace: Sendable {
    let parent: PathPlace?
    let step: Step

    enum Step: Sendable {
        case name(String)
        case index(Int)
    }

    init(_ parent: PathPlace?, _ step: Step) { (self.parent, self.step) = (parent, step) }

    static func path(_ place: PathPlace?) -> String {
        var steps: [Step] = []
        var place = place
        while let current = place {
            steps.append(current.step)
            place = current.parent
        }
        return steps.reversed().reduce(into: "$") { path, step in
            switch step {
            case .index(let index): path += "[\(index)]"
            case .name(let name): path += "['\(escape(name))']"
            }
        }
    }

    private static func escape(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{9}": text += "\\t"
            case "\u{A}": text += "\\n"
            case "\u{C}": text += "\\f"
            case "\u{D}": text += "\\r"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// Follows a path in a value.
struct PathEvaluation {
    typealias Node = JSONPath.Match

    let root: Tree
    let withPaths: Bool
    let most: Int
    var work: WorkLimit
    /// The levels of values and filters that are being visited.
    private var depth = 0
    var patterns = PatternCache()

    /// A document is nested less, but filters in filters add up.
    private static let mostDepth = 2000

    init(root: Tree, withPaths: Bool, most: Int, work: WorkLimit) {
        (self.root, self.withPaths, self.most, self.work) = (root, withPaths, most, work)
    }

    mutating func nodes(of query: PathQuery, at current: Tree) throws -> [Node] {
        var nodes = [Node(value: query.isRelative ? current : root, place: nil)]
        for segment in query.segments {
            var found: [Node] = []
            for node in nodes {
                if segment.isDescendant {
                    try visit(node, segment.selectors, &found)
                } else {
                    for selector in segment.selectors { try select(selector, node, &found) }
                }
            }
            nodes = found
        }
        return nodes
    }

    /// The value of a query that gives one at most.
    mutating func value(of query: PathQuery, at current: Tree) throws -> Tree? {
        try nodes(of: query, at: current).first?.value
    }

    private mutating func enter() throws {
        depth += 1
        guard depth <= Self.mostDepth else {
            throw JSONToolsError("the path visits more than \(Self.mostDepth) levels")
        }
    }

    /// The node, then its descendants.
    private mutating func visit(_ node: Node, _ selectors: [PathSelector], _ found: inout [Node]) throws {
        try enter()
        defer { depth -= 1 }
        for selector in selectors { try select(selector, node, &found) }
        switch node.value.kind {
        case .array:
            for (index, element) in node.value.elements.enumerated() where element.isContainer {
                try visit(child(of: node, .index(index), element), selectors, &found)
            }
        case .object:
            for (name, value) in node.value.pairs where value.isContainer {
                try visit(child(of: node, .name(name), value), selectors, &found)
            }
        default: return
        }
    }

    private func child(of node: Node, _ step: PathPlace.Step, _ value: Tree) -> Node {
        Node(value: value, place: withPaths ? PathPlace(node.place, step) : nil)
    }

    private mutating func add(
        _ value: Tree, _ step: PathPlace.Step, of node: Node, to found: inout [Node]
    ) throws {
        guard found.count < most else { throw JSONToolsError("the path finds more than \(most) values") }
        found.append(child(of: node, step, value))
    }

    private mutating func select(_ selector: PathSelector, _ node: Node, _ found: inout [Node]) throws {
        try work.spend()
        let value = node.value
        switch selector {
        case .name(let name):
            guard value.kind == .object else { return }
            try work.spend(value.count / 8)
            if let member = value[name] { try add(member, .name(name), of: node, to: &found) }
        case .index(let index):
            guard value.kind == .array else { return }
            let place = index < 0 ? index + value.count : index
            guard place >= 0, place < value.count else { return }
            try work.spend(place / 8)
            if let element = value[place] { try add(element, .index(place), of: node, to: &found) }
        case .wildcard:
            try forEachChild(of: node) { (run, step, value) in
                try run.add(value, step, of: node, to: &found)
            }
        case .slice(let slice): try select(slice, node, &found)
        case .filter(let condition):
            try enter()
            defer { depth -= 1 }
            try forEachChild(of: node) { (run, step, value) in
                if try run.holds(condition, value) { try run.add(value, step, of: node, to: &found) }
            }
        }
    }

    private mutating func select(_ slice: PathSlice, _ node: Node, _ found: inout [Node]) throws {
        guard node.value.kind == .array else { return }
        try work.spend(node.value.count / 8)
        let elements = Array(node.value.elements)
        for index in slice.indices(count: elements.count) {
            try work.spend()
            try add(elements[index], .index(index), of: node, to: &found)
        }
    }

    private mutating func forEachChild(
        of node: Node, _ body: (inout PathEvaluation, PathPlace.Step, Tree) throws -> Void
    ) throws {
        switch node.value.kind {
        case .array:
            for (index, element) in node.value.elements.enumerated() {
                try work.spend()
                try body(&self, .index(index), element)
            }
        case .object:
            for (name, value) in node.value.pairs {
                try work.spend()
                try body(&self, .name(name), value)
            }
        default: return
        }
    }
}

extension Tree {
    fileprivate var isContainer: Bool { kind == .array || kind == .object }
}
