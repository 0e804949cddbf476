import RestEngine

/// The grammar of RFC 9535, and its rules of types.
struct PathParser {
    private var reader: PathReader
    private var depth = 0

    init(_ text: String) { reader = PathReader(text) }

    mutating func parse() throws(JSONToolsError) -> PathQuery {
        guard reader.take("$") else { throw reader.fault("a path begins with '$'") }
        let query = PathQuery(isRelative: false, segments: try segments())
        guard reader.isAtEnd else { throw reader.fault("there is more behind the path") }
        return query
    }

    private mutating func deeper<Result>(
        _ body: (inout PathParser) throws(JSONToolsError) -> Result
    ) throws(JSONToolsError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= JSONPath.mostDepth else {
            throw reader.fault("the path is nested deeper than \(JSONPath.mostDepth) levels")
        }
        return try body(&self)
    }

    // MARK: Segments

    private mutating func segments() throws(JSONToolsError) -> [PathSegment] {
        var segments: [PathSegment] = []
        while true {
            if reader.takeAfterBlanks("..") {
                segments.append(PathSegment(isDescendant: true, selectors: try selectors(mayBracket: true)))
            } else if reader.takeAfterBlanks(".") {
                segments.append(PathSegment(isDescendant: false, selectors: try selectors(mayBracket: false)))
            } else if reader.takeAfterBlanks("[") {
                segments.append(PathSegment(isDescendant: false, selectors: try bracketed()))
            } else {
                return segments
            }
        }
    }

    /// Selectors behind dots.
    private mutating func selectors(mayBracket: Bool) throws(JSONToolsError) -> [PathSelector] {
        if mayBracket, reader.take("[") { return try bracketed() }
        if reader.take("*") { return [.wildcard] }
        return [.name(try reader.memberName())]
    }

    private mutating func bracketed() throws(JSONToolsError) -> [PathSelector] {
        try deeper { (parser) throws(JSONToolsError) in
            var selectors: [PathSelector] = []
            repeat {
                parser.reader.skipBlanks()
                selectors.append(try parser.selector())
            } while parser.reader.takeAfterBlanks(",")
            parser.reader.skipBlanks()
            try parser.reader.require("]")
            return selectors
        }
    }

    private mutating func selector() throws(JSONToolsError) -> PathSelector {
        if reader.next == UInt8(ascii: "'") || reader.next == UInt8(ascii: "\"") {
            return .name(try reader.string())
        }
        if reader.take("*") { return .wildcard }
        if reader.take("?") {
            reader.skipBlanks()
            return .filter(try condition())
        }
        let start = try reader.integer()
        if reader.takeAfterBlanks(":") { return .slice(try slice(from: start)) }
        guard let start else {
            throw reader.fault("a name in quotes, an index, a slice, '*' or '?' is missing")
        }
        return .index(start)
    }

    /// The rest of a slice, behind its first colon.
    private mutating func slice(from start: Int?) throws(JSONToolsError) -> PathSlice {
        reader.skipBlanks()
        var slice = PathSlice(start: start, end: try reader.integer())
        if reader.takeAfterBlanks(":") {
            let place = reader.offset
            reader.skipBlanks()
            if let step = try reader.integer() { slice.step = step } else { reader.go(to: place) }
        }
        return slice
    }

    // MARK: Conditions

    private mutating func condition() throws(JSONToolsError) -> PathCondition {
        try deeper { (parser) throws(JSONToolsError) in
            var parts: [PathCondition] = []
            repeat {
                parser.reader.skipBlanks()
                parts.append(try parser.conjunction())
            } while parser.reader.takeAfterBlanks("||")
            return parts.count == 1 ? parts[0] : .any(parts)
        }
    }

    private mutating func conjunction() throws(JSONToolsError) -> PathCondition {
        var parts: [PathCondition] = []
        repeat {
            reader.skipBlanks()
            parts.append(try basicCondition())
        } while reader.takeAfterBlanks("&&")
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func basicCondition() throws(JSONToolsError) -> PathCondition {
        if !reader.isNext("!="), reader.take("!") {
            reader.skipBlanks()
            if reader.take("(") { return .not(try parenthesized()) }
            let place = reader.offset
            return .not(try test(try operand(), place))
        }
        if reader.take("(") { return try parenthesized() }
        let place = reader.offset
        let left = try operand()
        guard let comparison = takeComparison() else { return try test(left, place) }
        try requireValue(left, place)
        reader.skipBlanks()
        let rightPlace = reader.offset
        let right = try operand()
        try requireValue(right, rightPlace)
        return .compare(left, comparison, right)
    }

    private mutating func parenthesized() throws(JSONToolsError) -> PathCondition {
        let condition = try condition()
        reader.skipBlanks()
        try reader.require(")")
        return condition
    }

    private mutating func takeComparison() -> PathComparison? {
        PathComparison.allCases.first { reader.takeAfterBlanks($0.rawValue) }
    }

    /// An operand that stands alone must be true or false, or a query.
    private func test(_ operand: PathOperand, _ place: Int) throws(JSONToolsError) -> PathCondition {
        switch operand {
        case .literal: throw reader.fault("a literal is no condition: compare it", at: place)
        case .query(let query): return .exists(query)
        case .call(let call):
            guard call.function.isCondition else {
                throw reader.fault(
                    "\(call.function.rawValue)() gives a value: compare it with another", at: place)
            }
            return .call(call)
        }
    }

    private func requireValue(_ operand: PathOperand, _ place: Int) throws(JSONToolsError) {
        switch operand {
        case .literal: return
        case .query(let query):
            guard query.isSingular else {
                throw reader.fault("a query that may give many values can't be compared", at: place)
            }
        case .call(let call):
            guard !call.function.isCondition else {
                throw reader.fault(
                    "\(call.function.rawValue)() gives true or false, which can't be compared", at: place)
            }
        }
    }

    // MARK: Operands

    private mutating func operand() throws(JSONToolsError) -> PathOperand {
        if let literal = try reader.literal() { return .literal(literal) }
        if reader.take("$") { return .query(PathQuery(isRelative: false, segments: try segments())) }
        if reader.take("@") { return .query(PathQuery(isRelative: true, segments: try segments())) }
        let place = reader.offset
        guard let name = reader.functionName() else {
            throw reader.fault("a query ('@' or '$'), a literal or a function is missing")
        }
        guard let function = PathFunction(rawValue: name) else {
            throw reader.fault(
                "there is no function '\(name.shortened)', only "
                    + PathFunction.allCases.map(\.rawValue).joined(separator: ", "), at: place)
        }
        return .call(PathCall(function: function, arguments: try arguments(of: function, place)))
    }

    private mutating func arguments(
        of function: PathFunction, _ place: Int
    ) throws(JSONToolsError) -> [PathOperand] {
        try deeper { (parser) throws(JSONToolsError) in
            var arguments: [PathOperand] = []
            parser.reader.skipBlanks()
            if !parser.reader.isNext(")") {
                repeat {
                    parser.reader.skipBlanks()
                    let place = parser.reader.offset
                    let argument = try parser.operand()
                    try parser.check(argument, of: function, place)
                    arguments.append(argument)
                } while parser.reader.takeAfterBlanks(",")
            }
            parser.reader.skipBlanks()
            try parser.reader.require(")")
            guard arguments.count == function.argumentCount else {
                throw parser.reader.fault(
                    "\(function.rawValue)() takes \(function.argumentCount) argument(s), not \(arguments.count)",
                    at: place)
            }
            return arguments
        }
    }

    private func check(
        _ argument: PathOperand, of function: PathFunction, _ place: Int
    ) throws(JSONToolsError) {
        guard function.takesNodes else { return try requireValue(argument, place) }
        guard case .query = argument else {
            throw reader.fault("\(function.rawValue)() takes a query", at: place)
        }
    }
}
