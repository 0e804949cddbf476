import RestEngine

extension PathEvaluation {
    mutating func holds(_ condition: PathCondition, _ current: Tree) throws -> Bool {
        try work.spend()
        switch condition {
        case .any(let parts):
            for part in parts where try holds(part, current) { return true }
            return false
        case .all(let parts):
            for part in parts where try !holds(part, current) { return false }
            return true
        case .not(let part): return try !holds(part, current)
        case .exists(let query): return try !nodes(of: query, at: current).isEmpty
        case .call(let call): return try matches(call, current)
        case .compare(let left, let comparison, let right):
            return try holds(try value(of: left, current), comparison, try value(of: right, current))
        }
    }

    /// Nil is the missing value, which is equal to itself only (RFC 9535 2.3.5.2.2).
    private func holds(_ left: Tree?, _ comparison: PathComparison, _ right: Tree?) throws -> Bool {
        switch comparison {
        case .equal: try isEqual(left, right)
        case .unequal: try !isEqual(left, right)
        case .less: Self.isLess(left, right)
        case .greater: Self.isLess(right, left)
        case .lessOrEqual: try Self.isLess(left, right) || isEqual(left, right)
        case .greaterOrEqual: try Self.isLess(right, left) || isEqual(left, right)
        }
    }

    private func isEqual(_ left: Tree?, _ right: Tree?) throws -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return try left.isSame(as: right, poll: work.poll)
    }

    private static func isLess(_ left: Tree?, _ right: Tree?) -> Bool {
        guard let left, let right else { return false }
        if let left = left.bytes, let right = right.bytes { return left.lexicographicallyPrecedes(right) }
        if let left = left.int, let right = right.int { return left < right }
        guard let left = ExactNumber(left), let right = ExactNumber(right) else { return false }
        return left < right
    }

    private mutating func value(of operand: PathOperand, _ current: Tree) throws -> Tree? {
        switch operand {
        case .literal(let tree): return tree
        case .query(let query): return try value(of: query, at: current)
        case .call(let call): return try value(of: call, current)
        }
    }

    /// The value of `length`, `count` or `value`.
    private mutating func value(of call: PathCall, _ current: Tree) throws -> Tree? {
        guard let argument = call.arguments.first else { return nil }
        if call.function == .length { return try value(of: argument, current)?.pathLength.map { Tree($0) } }
        guard case .query(let query) = argument else { return nil }
        let nodes = try nodes(of: query, at: current)
        if call.function == .count { return Tree(nodes.count) }
        return nodes.count == 1 ? nodes[0].value : nil
    }

    /// `match` and `search`: false for what is no text, and for what is no regular expression.
    private mutating func matches(_ call: PathCall, _ current: Tree) throws -> Bool {
        guard call.arguments.count == 2, let text = try value(of: call.arguments[0], current)?.string,
            let pattern = try value(of: call.arguments[1], current)?.string,
            let regex = patterns.regex(pattern)
        else { return false }
        try work.poll()
        return try regex.matches(text, isAnchored: call.function == .match)
    }
}

extension Tree {
    /// Characters of a text, elements of an array, members of an object.
    fileprivate var pathLength: Int? {
        switch kind {
        case .string: string?.unicodeScalars.count
        case .array, .object: count
        default: nil
        }
    }
}

/// Compiled regular expressions of one evaluation, because each would be needed for many values.
struct PatternCache {
    private var known: [Name: IRegexp?] = [:]

    private static let most = 64

    mutating func regex(_ text: String) -> IRegexp? {
        let name = Name(text)
        if let regex = known[name] { return regex }
        if known.count >= Self.most { known.removeAll() }
        let regex = IRegexp(text)
        known[name] = .some(regex)
        return regex
    }
}
