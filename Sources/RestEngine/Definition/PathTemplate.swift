import Platform

/// A path with names in braces, `{login}/repos`, to be replaced by values (rules 37.6, 37.7).
package struct PathTemplate: Sendable, Hashable, CustomStringConvertible {
    private enum Piece: Sendable, Hashable {
        case text(String)
        case name(String)
    }

    private let pieces: [Piece]
    /// The names in the order in which they first occur.
    package let names: [String]
    /// As it was written.
    package let description: String

    /// Throws for a brace without its counterpart, an invalid name, and dot segments.
    package init(_ text: String) throws(DefinitionError) {
        description = text
        var pieces: [Piece] = []
        var names: [String] = []
        var rest = text.utf8.first == .slash ? Substring(text.utf8.dropFirst()) : text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { pieces.append(.text(PercentEncoding.path(String(rest[..<brace])))) }
            let inner = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let close = inner.firstIndex(where: { $0 == "{" || $0 == "}" }),
                inner[close] == "}"
            else {
                throw DefinitionError(
                    .malformedTemplate, "the template '\(text.printable)' has a brace without its other half")
            }
            let name = String(inner[..<close])
            guard PathPattern.isName(name) else {
                throw DefinitionError(
                    .malformedTemplate,
                    "'\(name.printable)' in the template '\(text.printable)' is no name: letters, digits and '_'"
                )
            }
            pieces.append(.name(name))
            if !names.contains(name) { names.append(name) }
            rest = inner[inner.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(PercentEncoding.path(String(rest)))) }
        (self.pieces, self.names) = (pieces, names)
        // A value next to dots decides whether they are a dot segment: that is checked when the template is
        // filled.
        if PathText.hasDotSegment(text) {
            throw DefinitionError(
                .dotSegment,
                "the template '\(text.printable)' has a segment '.' or '..' in it, which would lead to another path"
            )
        }
    }

    /// The path with a value for each name. Throws if a name has no value or an empty one.
    package func filled(_ values: [String: PathComponent]) throws(DefinitionError) -> PathComponent {
        var path = ""
        for piece in pieces {
            switch piece {
            case .text(let text): path += text
            case .name(let name):
                guard let value = values[name] else {
                    throw DefinitionError(
                        .missingValue, "the template '\(description.printable)' has no value for '\(name)'")
                }
                guard !value.escaped.isEmpty else {
                    throw DefinitionError(
                        .emptyValue, "the value of '\(name)' in '\(description.printable)' is empty")
                }
                path += value.escaped
            }
        }
        // Two valid values may form a dot segment together.
        if PathText.hasDotSegment(path) {
            throw DefinitionError(
                .dotSegment,
                "'\(description.printable)' becomes '\(path)', which has a segment '.' or '..' in it")
        }
        return PathComponent(escaped: path)
    }
}
