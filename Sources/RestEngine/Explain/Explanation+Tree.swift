extension Explanation {
    /// The form for programs, as in `resthost explain --json` and the gateway's `/-/explain`. Fields without
    /// a value are null, so that all objects of a kind have the same fields.
    public var tree: Tree {
        Tree(
            pairs: [
                ("service", Tree(service)), ("method", Tree(method)), ("url", Tree(url)),
                ("blocks", Tree(blocks.map(\.tree))),
                ("other_methods", Tree(otherMethods.map(\.tree))),
                ("configuration", Tree(pairs: settings.map { ($0.field, $0.value) })),
                ("mutators", Tree(mutators.map(\.tree))),
                ("decorators", Tree(decorators.map(\.tree))),
                ("request", draft?.tree ?? .null),
                ("stages", Tree(stages.map(\.tree))),
                ("failures", Tree(failures.map(\.tree))),
            ] + (computed.map { [("computed", $0.tree)] } ?? [])
                + (properties.isEmpty ? [] : [("properties", Tree(properties.map(\.tree)))]))
    }
}

extension Explanation.Block {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("number", Tree(number)), ("description", Tree(description)), ("origin", Tree(orNull: origin)),
            ("pattern", Tree(pattern)), ("methods", methods.map { Tree($0.map { Tree($0) }) } ?? .null),
            ("changes", Tree(changes.map(\.tree))), ("failure", failure?.tree ?? .null),
        ])
    }
}

extension Explanation.Computed {
    fileprivate var tree: Tree {
        let sources = sources.map { list in
            Tree(
                list.map {
                    Tree(pairs: [
                        ("url", Tree($0.url)), ("timestamp", $0.timestamp.map { Tree($0) } ?? .null),
                    ])
                })
        }
        return Tree(pairs: [
            ("origin", Tree(orNull: origin)), ("follow", Tree(follows)), ("sources", sources ?? .null),
        ])
    }
}

extension Explanation.Property {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("kind", Tree(kind.rawValue)), ("name", Tree(name)), ("value", Tree(value)),
            ("level", Tree(level.title)), ("origin", Tree(orNull: level.origin)),
        ])
    }
}

extension Explanation.Change {
    fileprivate var tree: Tree {
        switch self {
        case .value(let field, let before, let after):
            Tree(pairs: [("field", Tree(field)), ("before", before ?? .null), ("after", after ?? .null)])
        case .added(let field, let part): Tree(pairs: [("field", Tree(field)), ("added", part.tree)])
        case .removed(let field, let part): Tree(pairs: [("field", Tree(field)), ("removed", part.tree)])
        }
    }
}

extension Explanation.Part {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("description", Tree(orNull: description.isEmpty ? nil : description)),
            ("origin", Tree(orNull: origin)),
            ("content_types", contentTypes.map { Tree($0.map { Tree($0) }) } ?? .null),
        ])
    }
}

extension Explanation.Draft {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("method", Tree(method)), ("url", Tree(url)),
            // A list, because a name may occur twice.
            (
                "headers",
                Tree(headers.map { Tree(pairs: [("name", Tree($0.name)), ("value", Tree($0.value))]) })
            ),
            ("body_bytes", bodyBytes.map { Tree($0) } ?? .null),
        ])
    }
}

extension Explanation.Stage {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("name", Tree(name)), ("listed", Tree(isListed)),
            ("transformers", Tree(transformers.map(\.tree))), ("cache", Tree(orNull: cache)),
        ])
    }
}

extension Explanation.Failure {
    fileprivate var tree: Tree {
        Tree(pairs: [
            ("message", Tree(message)), ("file", Tree(orNull: file)),
            ("line", line.map { Tree($0) } ?? .null), ("traceback", Tree(orNull: traceback)),
        ])
    }
}

extension Tree {
    fileprivate init(orNull text: String?) { self = text.map { Tree($0) } ?? .null }
}
