import RestEngine

extension SchemaRun {
    /// `minItems`, `maxProperties` and the like: `keyword` is the name without its first part.
    private mutating func holds(
        _ count: Int, _ noun: String, _ least: Bool, _ limit: Int, _ keyword: String,
        _ node: JSONSchema.Node, _ isQuiet: Bool
    ) -> Bool {
        (least ? count >= limit : count <= limit)
            || mismatch(
                node, "/\(least ? "min" : "max")\(keyword)", isQuiet,
                "has \(Self.count(count, noun)), and must have \(least ? "at least" : "at most") \(limit)")
    }

    // MARK: Arrays

    mutating func arrayHolds(
        _ check: SchemaKeyword, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        switch check {
        case .itemCount(let least, let limit):
            return holds(value.count, "item", least, limit, "Items", node, isQuiet)
        case .uniqueItems: return try isUnique(node, value, isQuiet)
        case .items(let first, let rest):
            let known = evaluated?.firstItems ?? 0
            evaluated?.firstItems = rest != nil ? .max : max(known, first.count)
            return try forEachItem(of: value, isQuiet) { (run, index, item) in
                guard let id = index < first.count ? first[index] : rest else { return true }
                return try run.validatePart(id, item, at: .index(index), isQuiet: isQuiet)
            }
        case .contains(let id, let least, let most):
            return try contains(id, least...max(least, most ?? .max), most, node, value, isQuiet, &evaluated)
        case .unevaluatedItems(let id):
            let seen = evaluated ?? Evaluated()
            evaluated?.firstItems = .max
            return try forEachItem(of: value, isQuiet) { (run, index, item) in
                guard index >= seen.firstItems, !seen.items.contains(index) else { return true }
                return try run.validatePart(id, item, at: .index(index), isQuiet: isQuiet)
            }
        default: return true
        }
    }

    private mutating func forEachItem(
        of value: Tree, _ isQuiet: Bool, _ body: (inout SchemaRun, Int, Tree) throws -> Bool
    ) throws -> Bool {
        var matches = true
        for (index, item) in value.elements.enumerated() where try !body(&self, index, item) {
            matches = false
            if isQuiet { break }
        }
        return matches
    }

    private mutating func isUnique(
        _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool
    ) throws -> Bool {
        var seen: [[UInt8]: Int] = [:]
        for (index, item) in value.elements.enumerated() {
            try work.spend()
            if let first = try seen.updateValue(index, forKey: item.canonicalForm(poll: work.poll)) {
                return mismatch(node, "/uniqueItems", isQuiet, "has the same items at \(first) and \(index)")
            }
        }
        return true
    }

    private mutating func contains(
        _ id: SchemaID, _ range: ClosedRange<Int>, _ most: Int?, _ node: JSONSchema.Node, _ value: Tree,
        _ isQuiet: Bool, _ evaluated: inout Evaluated?
    ) throws -> Bool {
        var matching = 0
        for (index, item) in value.elements.enumerated() {
            guard try validatePart(id, item, at: .index(index), isQuiet: true) else { continue }
            matching += 1
            evaluated?.items.insert(index)
        }
        if matching < range.lowerBound {
            let keyword = range.lowerBound == 1 ? "/contains" : "/minContains"
            return mismatch(
                node, keyword, isQuiet,
                "has \(Self.count(matching, "item")) of the wanted kind, and must have at least \(range.lowerBound)"
            )
        }
        if let most, matching > most {
            return mismatch(
                node, "/maxContains", isQuiet,
                "has \(Self.count(matching, "item")) of the wanted kind, and must have at most \(most)")
        }
        return true
    }

    // MARK: Objects

    mutating func objectHolds(
        _ check: SchemaKeyword, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        switch check {
        case .memberCount(let least, let limit):
            return holds(value.count, "member", least, limit, "Properties", node, isQuiet)
        case .required(let names):
            let missing = Self.missing(names, in: value)
            return missing.isEmpty
                || mismatch(node, "/required", isQuiet, "has no \(Self.list(missing))")
        case .dependentRequired(let dependencies):
            for (name, needs) in dependencies where value[name] != nil {
                let missing = Self.missing(needs, in: value)
                if !missing.isEmpty {
                    return mismatch(
                        node, "/dependentRequired/" + JSONPointer.escape(name), isQuiet,
                        "has '\(name.shortened)' and no \(Self.list(missing))")
                }
            }
            return true
        case .members(let members): return try holds(members, node, value, isQuiet, &evaluated)
        case .propertyNames(let id): return try namesHold(id, node, value, isQuiet)
        case .unevaluatedProperties(let id):
            let seen = evaluated ?? Evaluated()
            if seen.allMembers { return true }
            evaluated?.allMembers = true
            return try forEachMember(of: value, isQuiet) { (run, name, member) in
                if seen.members.contains(Name(name)) { return true }
                return try run.validatePart(id, member, at: .name(name), isQuiet: isQuiet)
            }
        default: return true
        }
    }

    private mutating func forEachMember(
        of value: Tree, _ isQuiet: Bool, _ body: (inout SchemaRun, String, Tree) throws -> Bool
    ) throws -> Bool {
        var matches = true
        for (name, member) in value.pairs where try !body(&self, name, member) {
            matches = false
            if isQuiet { break }
        }
        return matches
    }

    private mutating func holds(
        _ members: SchemaMembers, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool,
        _ evaluated: inout Evaluated?
    ) throws -> Bool {
        var seen = evaluated
        evaluated = nil
        defer { evaluated = seen }
        if members.others != nil { seen?.allMembers = true }
        return try forEachMember(of: value, isQuiet) { (run, name, member) in
            try run.work.spend(members.byPattern.count)
            let key = Name(name)
            var ids = members.byName[key].map { [$0] } ?? []
            for (pattern, id) in members.byPattern where try run.matches(pattern, name, node) {
                ids.append(id)
            }
            if ids.isEmpty, let others = members.others { ids = [others] }
            if !ids.isEmpty { seen?.members.insert(key) }
            var matches = true
            for id in ids where try !run.validatePart(id, member, at: .name(name), isQuiet: isQuiet) {
                matches = false
            }
            return matches
        }
    }

    private mutating func namesHold(
        _ id: SchemaID, _ node: JSONSchema.Node, _ value: Tree, _ isQuiet: Bool
    ) throws -> Bool {
        var nothing: Evaluated?
        for (name, _) in value.pairs where try !validate(id, Tree(name), isQuiet: true, &nothing) {
            return mismatch(
                node, "/propertyNames", isQuiet, "has a member with the wrong name '\(name.shortened)'")
        }
        return true
    }

    private static func missing(_ names: [String], in value: Tree) -> [String] {
        guard names.count > 4 else { return names.filter { value[$0] == nil } }
        let known = Set(value.pairs.map { Name($0.key) })
        return names.filter { !known.contains(Name($0)) }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).map { "'\($0.shortened)'" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }
}
