import RestEngine

/// A JSONPath query (RFC 9535).
package struct JSONPath: Sendable {
    let query: PathQuery

    /// Longer texts are refused.
    package static let mostBytes = 16 << 10
    /// The depth of parentheses, filters and calls.
    static let mostDepth = 64

    /// Throws for text that is no query, with the place, and for functions that get a wrong type.
    package init(_ text: String) throws(JSONToolsError) {
        guard text.utf8.count <= Self.mostBytes else {
            throw JSONToolsError("the path has more than \(Self.mostBytes / 1024) KiB")
        }
        var parser = PathParser(text)
        query = try parser.parse()
    }
}

struct PathQuery: Sendable {
    /// Begins at the node that a filter tests, not at the root.
    let isRelative: Bool
    var segments: [PathSegment] = []

    /// Whether it gives one node at most.
    var isSingular: Bool {
        segments.allSatisfy { segment in
            guard !segment.isDescendant, segment.selectors.count == 1 else { return false }
            switch segment.selectors[0] {
            case .name, .index: return true
            case .wildcard, .slice, .filter: return false
            }
        }
    }
}

struct PathSegment: Sendable {
    let isDescendant: Bool
    let selectors: [PathSelector]
}

enum PathSelector: Sendable {
    case name(String)
    case wildcard
    case index(Int)
    case slice(PathSlice)
    case filter(PathCondition)
}

struct PathSlice: Sendable {
    var start: Int?
    var end: Int?
    var step = 1

    /// The indices in an array of `count` elements (RFC 9535 2.3.4.2.2).
    func indices(count: Int) -> StrideTo<Int> {
        func place(_ index: Int?, _ standard: Int, _ range: ClosedRange<Int>) -> Int {
            guard let index else { return standard }
            let place = index < 0 ? index + count : index
            return min(max(place, range.lowerBound), range.upperBound)
        }
        if step == 0 { return stride(from: 0, to: 0, by: 1) }
        if step > 0 {
            return stride(from: place(start, 0, 0...count), to: place(end, count, 0...count), by: step)
        }
        return stride(
            from: place(start, count - 1, -1...max(count - 1, -1)),
            to: place(end, -1, -1...max(count - 1, -1)),
            by: step)
    }
}

indirect enum PathCondition: Sendable {
    case any([PathCondition])
    case all([PathCondition])
    case not(PathCondition)
    case exists(PathQuery)
    case call(PathCall)
    case compare(PathOperand, PathComparison, PathOperand)
}

enum PathComparison: String, CaseIterable, Sendable {
    // The longer ones come first, because they begin with the shorter ones.
    case equal = "=="
    case unequal = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
}

enum PathOperand: Sendable {
    case literal(Tree)
    case query(PathQuery)
    case call(PathCall)
}

struct PathCall: Sendable {
    let function: PathFunction
    let arguments: [PathOperand]
}

/// The functions of RFC 9535 2.4.
enum PathFunction: String, CaseIterable, Sendable {
    case length
    case count
    case match
    case search
    case value

    var argumentCount: Int { isCondition ? 2 : 1 }

    /// Whether the result is true or false, which is no value.
    var isCondition: Bool { self == .match || self == .search }

    /// Whether the argument is a list of nodes.
    var takesNodes: Bool { self == .count || self == .value }
}
