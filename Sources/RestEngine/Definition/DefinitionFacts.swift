/// One property of a definition, for output.
struct DefinitionFact {
    let kind: Explanation.Property.Kind
    let name: String
    let value: String
    let level: DefinitionLevel
}

extension DefinitionContents {
    /// In the order of kinds; with the level that set each property, or changed it last (rule 34.7).
    var facts: [DefinitionFact] {
        var facts: [DefinitionFact] = []
        func add(_ kind: Explanation.Property.Kind, _ name: String, _ value: String, _ level: Int) {
            facts.append(DefinitionFact(kind: kind, name: name, value: value, level: levels[level]))
        }
        for entry in headers.entries {
            for value in entry.values { add(.header, entry.name, value, entry.level) }
        }
        for name in headers.omitted { add(.header, name.value, "", name.level) }
        for item in query {
            let values = item.value.values.map { $0 ?? "" }.joined(separator: ", ")
            add(.query, item.value.name, values, item.level)
        }
        for (index, component) in path.enumerated() {
            add(.path, "\(index + 1)", component.value.text, component.level)
        }
        if let body {
            let size = body.value.bytes.map { "\($0.count) bytes" } ?? ""
            add(.body, body.value.kind.rawValue, size, body.level)
        }
        for function in configuration { add(.configuration, "", function.value.origin, function.level) }
        if let idempotencyKey {
            let key = if case .key(let text) = idempotencyKey.value { text } else { "random" }
            add(.idempotencyKey, "", key, idempotencyKey.level)
        }
        if let queryStyle { add(.queryStyle, "", queryStyle.value.rawValue, queryStyle.level) }
        return facts
    }
}

extension RequestDefinition {
    /// Explains the requests of the definition: the blocks that apply, its own functions, the level that set
    /// each property, and the message that would be sent. No request is sent.
    @EngineActor
    package func explain(mask: SecretMask = .standard) -> Explanation {
        service.explain(self, mask: mask) {}
    }

    /// The same with a time limit: `poll` throws when the time is over.
    @EngineActor
    package func explain(mask: SecretMask = .standard, poll: () throws -> Void) rethrows -> Explanation {
        try service.explain(self, mask: mask, poll: poll)
    }
}
