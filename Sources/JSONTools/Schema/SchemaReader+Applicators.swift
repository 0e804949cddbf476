import RestEngine

extension SchemaReader {
    mutating func readReferences(_ compiler: inout SchemaCompiler) throws {
        for keyword in ["$ref", "$dynamicRef"] {
            guard let reference = try text(keyword, compiler) else { continue }
            let target: (place: SchemaPlace, dynamicAnchor: Name?)
            do {
                target = try compiler.registry.resolve(reference, from: resource)
            } catch let error as JSONToolsError {
                throw fault(keyword, error.message, compiler)
            }
            let id = try compiler.id(of: target.place)
            if keyword == "$dynamicRef", let anchor = target.dynamicAnchor {
                checks.append(.dynamicReference(id, anchor: anchor))
            } else {
                checks.append(.reference(id))
            }
        }
    }

    private func schemas(
        _ keyword: String, _ compiler: inout SchemaCompiler
    ) throws -> [SchemaID]? {
        guard let list = try list(keyword, compiler) else { return nil }
        var ids: [SchemaID] = []
        for index in 0..<list.count { ids.append(try compiler.id(of: place.appending(keyword, "\(index)"))) }
        return ids
    }

    private func schemasByName(
        _ keyword: String, _ compiler: inout SchemaCompiler
    ) throws -> [(name: String, id: SchemaID)] {
        guard let object = try object(keyword, compiler) else { return [] }
        var ids: [(name: String, id: SchemaID)] = []
        for (name, _) in object.pairs {
            ids.append((name, try compiler.id(of: place.appending(keyword, name))))
        }
        return ids
    }

    mutating func readCombinations(_ compiler: inout SchemaCompiler) throws {
        if let ids = try schemas("allOf", &compiler) { checks.append(.allOf(ids)) }
        if let ids = try schemas("anyOf", &compiler) { checks.append(.anyOf(ids)) }
        if let ids = try schemas("oneOf", &compiler) { checks.append(.oneOf(ids)) }
        if let id = try schema("not", &compiler) { checks.append(.not(id)) }
        if let id = try schema("if", &compiler) {
            checks.append(
                .conditional(
                    id, then: try schema("then", &compiler), otherwise: try schema("else", &compiler)))
        }
        let dependent = try schemasByName("dependentSchemas", &compiler)
        if !dependent.isEmpty {
            checks.append(
                .dependentSchemas(Dictionary(dependent.map { (Name($0.name), $0.id) }) { $1 }))
        }
    }

    mutating func readItems(_ compiler: inout SchemaCompiler) throws {
        if tree["items"]?.kind == .array, tree["items"]?.count != 0 {
            throw fault("items", "is a list: 2020-12 calls it prefixItems", compiler)
        }
        let first = try schemas("prefixItems", &compiler) ?? []
        let rest = try schema("items", &compiler)
        if !first.isEmpty || rest != nil { checks.append(.items(first: first, rest: rest)) }
        guard let id = try schema("contains", &compiler) else { return }
        let least = validates ? try count("minContains", compiler) : nil
        let most = validates ? try count("maxContains", compiler) : nil
        checks.append(.contains(id, least: least ?? 1, most: most))
    }

    mutating func readMembers(_ compiler: inout SchemaCompiler) throws {
        var members = SchemaMembers()
        for (name, id) in try schemasByName("properties", &compiler) { members.byName[Name(name)] = id }
        for (text, id) in try schemasByName("patternProperties", &compiler) {
            members.byPattern.append((try pattern(text, "patternProperties", &compiler), id))
        }
        members.others = try schema("additionalProperties", &compiler)
        if !members.byName.isEmpty || !members.byPattern.isEmpty || members.others != nil {
            checks.append(.members(members))
        }
        if let id = try schema("propertyNames", &compiler) { checks.append(.propertyNames(id)) }
    }
}
