import Platform

/// A schema that contents have to match. Another module compiles it.
package protocol ContentSchema: Sendable {
    /// Its title, for explanations and errors.
    var name: String? { get }
    /// Equal for schemas that accept the same contents.
    var digest: Int { get }
    /// The first mismatches, as sentences that begin with the place.
    ///
    /// - Parameters:
    ///   - most: No more are looked for.
    ///   - poll: Throws when there is no more time.
    func problems(of content: Tree, most: Int, poll: @escaping () throws -> Void) throws -> [String]
}

/// Fails a success whose content doesn't match a schema (rules 17.7, D12: status and body are kept). It runs
/// behind the transformers of the stage parsing, wherever the others run.
package final class SchemaCheck: ThreadedTransformer {
    package let schema: any ContentSchema
    /// The line that set it, `file:line`.
    package let origin: String?

    package init(_ schema: any ContentSchema, origin: String?) {
        (self.schema, self.origin) = (schema, origin)
    }

    /// Mismatches that are counted; the first three are named.
    private nonisolated static let mostCounted = 100
    private nonisolated static let mostNamed = 3
    /// Seconds for one content.
    private nonisolated static let longest = 1.0

    package nonisolated var description: String { schema.name.map { "schema '\($0)'" } ?? "schema" }

    package var fingerprint: UInt64 { UInt64(bitPattern: Int64(schema.digest)) }

    package nonisolated var placement: PipelineStage.Placement { .threaded(self) }

    package nonisolated func belongsOnThread(_ response: Response) -> Bool {
        guard case .success(let entity) = response else { return false }
        let bytes = entity.content.anyTree?.byteCount ?? LargeContent.size(of: response)
        return bytes > LargeContent.leastParsedSize
    }

    package nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        // A part of a document is none (RFC 9110 15.3.7).
        guard case .success(let entity) = response, !entity.content.isNoBody, entity.status != 206,
            let cause = cause(of: entity.content)
        else { return response }
        return response.failed(with: RequestError.CauseError(cause), in: context)
    }

    /// Nil for a content that matches.
    private nonisolated func cause(of content: Content) -> RequestError.Cause? {
        guard let tree = content.checkedTree else {
            return .schemaMismatch(
                count: 1, message: "the content is \(content.typeName), and \(description) is for values")
        }
        let end = ClockReading.uptime + Self.longest
        do {
            let problems = try schema.problems(of: tree, most: Self.mostCounted) {
                if ClockReading.uptime > end { throw OutOfTime() }
            }
            return problems.isEmpty ? nil : .schemaMismatch(count: problems.count, message: message(problems))
        } catch {
            let reason = error is OutOfTime ? "it takes longer than \(Int(Self.longest)) s" : "\(error)"
            return .schemaMismatch(
                count: 0, message: "the content can't be checked against the \(description): \(reason)")
        }
    }

    private nonisolated func message(_ problems: [String]) -> String {
        let named = problems.prefix(Self.mostNamed).joined(separator: "; ")
        let count =
            switch problems.count {
            case 1: "one place"
            case Self.mostCounted: "\(Self.mostCounted) places or more"
            default: "\(problems.count) places"
            }
        let rest = problems.count > Self.mostNamed ? "; …" : ""
        return "the content doesn't match the \(description) in \(count): \(named)\(rest)"
    }

    private struct OutOfTime: Error {}
}

extension Content {
    /// The value that a schema is for.
    fileprivate var checkedTree: Tree? {
        if case .text(let text) = self { return Tree(text) }
        return anyTree
    }
}

extension PipelineStage {
    /// Puts the check behind all transformers; nil removes it.
    mutating func place(_ check: SchemaCheck?) {
        var kept = steps.filter { !($0.transformer is SchemaCheck) }
        if let check { kept.append(Step(check, nil)) }
        replace(kept)
    }
}

extension Configuration {
    /// The same with the check of its schema in its stage.
    var checkingSchema: Configuration {
        guard schema != nil || pipeline[.parsing].steps.contains(where: { $0.transformer is SchemaCheck })
        else { return self }
        var configuration = self
        configuration.pipeline[.parsing].place(schema)
        return configuration
    }

    /// Throws for a schema that would never be checked.
    func requireCheckOfSchema() throws(RequestError.CauseError) {
        guard let schema, !pipeline.order.contains(.parsing) else { return }
        throw RequestError.CauseError(
            .scriptError(
                .init(
                    message:
                        "the \(schema.description) set at \(schema.origin ?? "?") is checked after the stage 'parsing', "
                        + "which c.pipeline.order doesn't have")))
    }
}
