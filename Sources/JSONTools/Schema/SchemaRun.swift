import RestEngine

/// The members and elements that keywords have looked at, for `unevaluated…`.
struct Evaluated {
    var allMembers = false
    var members: Set<Name> = []
    /// Elements before it.
    var firstItems = 0
    var items: Set<Int> = []

    mutating func merge(_ other: Evaluated) {
        allMembers = allMembers || other.allMembers
        members.formUnion(other.members)
        firstItems = max(firstItems, other.firstItems)
        items.formUnion(other.items)
    }
}

/// One validation.
struct SchemaRun {
    let schema: JSONSchema
    private let most: Int
    var work: WorkLimit
    private(set) var found: [SchemaMismatch] = []
    /// The way to the current value.
    private var way: [PathPlace.Step] = []
    /// The resources through which the current schema was reached, from outside in.
    private var scope: [Int] = []
    private var depth = 0

    /// A value is nested less, but references and combinations add to each level.
    private static let mostDepth = 600

    init(schema: JSONSchema, most: Int, work: WorkLimit) {
        (self.schema, self.most, self.work) = (schema, most, work)
    }

    mutating func mismatches(of value: Tree) throws -> [SchemaMismatch] {
        var nothing: Evaluated?
        _ = try validate(0, value, isQuiet: false, &nothing)
        return found
    }

    /// Whether a value matches.
    ///
    /// - Parameters:
    ///   - isQuiet: Mismatches aren't noted, and the first ends the check.
    ///   - evaluated: Gets what a match has looked at; nil if nobody asks.
    mutating func validate(
        _ id: SchemaID, _ value: Tree, isQuiet: Bool, _ evaluated: inout Evaluated?
    ) throws -> Bool {
        var node = schema.nodes[id]
        // A schema that is only a reference needs no level of its own. No circle of them is compiled.
        while node.checks.count == 1, case .reference(let target) = node.checks[0],
            scope.last == node.resource
        {
            node = schema.nodes[target]
        }
        if node.checks.isEmpty { return true }
        try work.spend()
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostDepth else {
            throw JSONToolsError("the schema and the value are nested deeper than \(Self.mostDepth) levels")
        }
        let entersResource = scope.last != node.resource
        if entersResource { scope.append(node.resource) }
        defer { if entersResource { scope.removeLast() } }
        var own: Evaluated? = evaluated != nil || node.needsEvaluation ? Evaluated() : nil
        var matches = true
        for check in node.checks {
            try work.spend()
            if try !holds(check, of: node, value, isQuiet, &own) {
                matches = false
                if isQuiet || found.count >= most { break }
            }
        }
        if matches, let own { evaluated?.merge(own) }
        return matches
    }

    /// Notes a mismatch of the current value. Returns false.
    mutating func mismatch(
        _ node: JSONSchema.Node, _ keyword: String, _ isQuiet: Bool, _ message: @autoclosure () -> String
    ) -> Bool {
        guard !isQuiet, found.count < most else { return false }
        let pointer = JSONPointer(
            tokens: way.map { step in
                switch step {
                case .name(let name): name
                case .index(let index): "\(index)"
                }
            })
        found.append(
            SchemaMismatch(path: pointer.description, schema: node.place + keyword, message: message()))
        return false
    }

    /// Checks a part of the current value.
    mutating func validatePart(
        _ id: SchemaID, _ value: Tree, at step: PathPlace.Step, isQuiet: Bool
    ) throws -> Bool {
        way.append(step)
        defer { way.removeLast() }
        var nothing: Evaluated?
        return try validate(id, value, isQuiet: isQuiet, &nothing)
    }

    /// Where a dynamic reference leads: to the outermost resource that has the anchor.
    func target(of anchor: Name, otherwise id: SchemaID) -> SchemaID {
        for resource in scope {
            if let found = schema.resources[resource].dynamicAnchors[anchor] { return found }
        }
        return id
    }

    private mutating func holds(
        _ check: SchemaKeyword, of node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        switch check {
        case .nothing: return mismatch(node, "", isQuiet, "isn't allowed")
        case .reference(let id): return try validate(id, value, isQuiet: isQuiet, &evaluated)
        case .dynamicReference(let id, let anchor):
            return try validate(target(of: anchor, otherwise: id), value, isQuiet: isQuiet, &evaluated)
        case .allOf(let ids):
            var matches = true
            for id in ids where try !validate(id, value, isQuiet: isQuiet, &evaluated) {
                matches = false
                if isQuiet { break }
            }
            return matches
        case .anyOf(let ids): return try matchesAny(ids, node, value, isQuiet, &evaluated)
        case .oneOf(let ids): return try matchesOne(ids, node, value, isQuiet, &evaluated)
        case .not(let id):
            var nothing: Evaluated?
            return try !validate(id, value, isQuiet: true, &nothing)
                || mismatch(node, "/not", isQuiet, "matches a schema that it may not match")
        case .conditional(let condition, let then, let otherwise):
            let branch = try validate(condition, value, isQuiet: true, &evaluated) ? then : otherwise
            return try branch.map { try validate($0, value, isQuiet: isQuiet, &evaluated) } ?? true
        case .dependentSchemas(let schemas):
            guard value.kind == .object else { return true }
            var matches = true
            for (name, _) in value.pairs {
                guard let id = schemas[Name(name)] else { continue }
                if try !validate(id, value, isQuiet: isQuiet, &evaluated) { matches = false }
            }
            return matches
        case .items, .contains, .uniqueItems, .itemCount, .unevaluatedItems:
            return try value.kind != .array || arrayHolds(check, node, value, isQuiet, &evaluated)
        case .memberCount, .required, .dependentRequired, .members, .propertyNames, .unevaluatedProperties:
            return try value.kind != .object || objectHolds(check, node, value, isQuiet, &evaluated)
        default: return try scalarHolds(check, node, value, isQuiet)
        }
    }

    private mutating func matchesAny(
        _ ids: [SchemaID], _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        var matches = false
        for id in ids where try validate(id, value, isQuiet: true, &evaluated) {
            matches = true
            // The others may look at further members.
            if evaluated == nil { break }
        }
        return matches || mismatch(node, "/anyOf", isQuiet, "matches none of \(ids.count) schemas")
    }

    private mutating func matchesOne(
        _ ids: [SchemaID], _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        var matching: [Int] = []
        for (index, id) in ids.enumerated() where matching.count < 2 {
            if try validate(id, value, isQuiet: true, &evaluated) { matching.append(index) }
        }
        if matching.count == 1 { return true }
        return mismatch(
            node, "/oneOf", isQuiet,
            matching.isEmpty
                ? "matches none of \(ids.count) schemas"
                : "matches the schemas \(matching[0]) and \(matching[1]), but only one is allowed")
    }
}
