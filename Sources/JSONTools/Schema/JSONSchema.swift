package import RestEngine

/// A compiled JSON Schema (draft 2020-12). Any thread may validate with it, several at once.
package final class JSONSchema: Sendable {
    let nodes: [Node]
    let resources: [Resource]
    /// For descriptions: the title or identifier of the schema.
    package let name: String?
    /// Equal for schemas from equal texts.
    package let digest: Int
    /// The memory that it takes, about.
    package let heldBytes: Int

    struct Node: Sendable {
        let place: String
        let resource: Int
        let checks: [SchemaKeyword]
        let needsEvaluation: Bool
    }

    struct Resource: Sendable {
        let dynamicAnchors: [Name: SchemaID]
    }

    package struct Options {
        /// Other documents that references may lead to, by their URI.
        package var documents: [(uri: String, schema: Tree)] = []
        /// Whether `format` is checked, too.
        package var checksFormats = false

        package init() {}
    }

    /// Schemas in one compilation, with those that are referred to.
    package static let mostSchemas = 100_000

    /// Throws for a keyword with a wrong value, a reference that leads nowhere, and references in a circle.
    package init(_ schema: Tree, options: Options = Options(), poll: @escaping () throws -> Void = {}) throws
    {
        var compiler = try SchemaCompiler(schema, options, poll)
        (nodes, resources) = try compiler.compile()
        heldBytes = compiler.patternBytes + nodes.count * 512 + schema.byteCount
        name = (schema["title"] ?? schema["$id"])?.string
        var hasher = Hasher()
        hasher.combine(schema)
        for document in options.documents { hasher.combine(document.schema) }
        hasher.combine(options.checksFormats)
        digest = hasher.finalize()
    }

    /// Steps that one validation may take, about one for each value and keyword.
    package static let mostSteps = 20_000_000

    /// The mismatches of a value, `most` at most; none for a value that matches.
    ///
    /// Throws if the work exceeds its limit, or a regular expression takes too much work.
    package func mismatches(
        of value: Tree, most: Int = 100, work: WorkLimit = WorkLimit(steps: mostSteps)
    ) throws -> [SchemaMismatch] {
        var run = SchemaRun(schema: self, most: most, work: work)
        return try run.mismatches(of: value)
    }
}

/// A part of a value that doesn't match its schema.
package struct SchemaMismatch: Sendable, Equatable {
    /// A JSON pointer into the value.
    package let path: String
    /// The pointer of the keyword in its schema, behind `URI#` for another document.
    package let schema: String
    /// A sentence without the place.
    package let message: String
}
