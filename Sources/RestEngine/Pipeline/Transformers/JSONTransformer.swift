/// Parses JSON bytes into a tree (rules 18.1, 18.2).
public struct JSONTransformer: StandardTransforming {
    /// Whether to parse the bodies of errors too.
    public var transformErrors: Bool
    /// Whether to parse a success without a body too, which fails as malformed JSON; otherwise it is passed
    /// on (D30).
    public var transformEmpty: Bool
    /// Whether to accept a number, string, boolean or null at the top level.
    public var allowFragments: Bool

    /// The values are those of the properties by the same names.
    public nonisolated init(
        transformErrors: Bool = true, transformEmpty: Bool = false, allowFragments: Bool = false
    ) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
        self.allowFragments = allowFragments
    }

    public nonisolated var description: String { "json" }

    private nonisolated static let preference = TextPreference()

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        // A part of a document can't be parsed (RFC 9110 15.3.7).
        if case .success(let entity) = response, entity.status == 206 { return response }
        return mapContent(
            of: response, errors: transformErrors, empty: transformEmpty, context, note: note,
            body: { entity, _ in entity.content.bytes.map(ReadBody.json) }
        ) { entity throws(RequestError.CauseError) in
            guard case .bytes(let bytes) = entity.content else {
                throw notBytes(entity.content)
            }
            let tree: Tree
            do throws(JSONError) {
                tree = try LargeContent.oneAtATime(for: bytes.count) { () throws(JSONError) in
                    try Tree(reading: bytes, limits: Self.limits(context), Self.preference)
                }
            } catch {
                if error.code == .tooLarge { throw Self.tooLarge(context) }
                throw RequestError.CauseError(.malformedJSON(offset: error.offset, message: error.message))
            }
            guard
                allowFragments || context.allowsFragments || tree.kind == .object || tree.kind == .array
            else {
                throw RequestError.CauseError(.jsonNotObjectOrArray(actual: tree.kind.typeName))
            }
            return .json(tree)
        }
    }

    /// Few values take more memory than their text, and hardly any takes twice as much: a value that does was
    /// probably made to use up memory.
    nonisolated static func limits(_ context: PipelineContext) -> Tree.Limits {
        let (bytes, overflows) = context.maxBodyBytes.multipliedReportingOverflow(by: 2)
        return Tree.Limits(bytes: overflows ? .max : bytes)
    }

    nonisolated static func tooLarge(
        _ context: PipelineContext, of format: String = "JSON"
    ) -> RequestError.CauseError {
        let limit = limits(context).bytes
        return RequestError.CauseError(
            .transport(
                TransportError(
                    .tooLarge, phase: .receive,
                    message:
                        "the value of the \(format) body is larger than \(limit) bytes, twice the limit for bodies",
                    limit: limit)))
    }
}

/// Parses lines with one JSON value each into an array of the values.
package struct NDJSONTransformer: StandardTransforming {
    /// Whether to parse the bodies of errors too.
    package var transformErrors: Bool
    /// Whether to parse a success without a body too, into an empty array; otherwise it is passed on (D30).
    package var transformEmpty: Bool

    package nonisolated init(transformErrors: Bool = true, transformEmpty: Bool = true) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    package nonisolated var description: String { "ndjson" }

    /// A line takes as long as a hundred bytes.
    nonisolated var largeSize: Int { LargeContent.leastSize }

    package nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(
            of: response, errors: transformErrors, empty: transformEmpty, context, note: note,
            body: { entity, _ in entity.content.bytes.map(ReadBody.bytes) }
        ) { entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                let limits = JSONTransformer.limits(context)
                do throws(JSONError) {
                    return try LargeContent.oneAtATime(for: bytes.count) { () throws(JSONError) in
                        .json(try Tree(jsonLines: bytes, limits: limits))
                    }
                } catch {
                    if error.code == .tooLarge { throw JSONTransformer.tooLarge(context) }
                    throw RequestError.CauseError(
                        .malformedJSON(offset: error.offset, message: error.message))
                }
            // Another standard transformer in an earlier stage has handled it (guide ThePipeline, Stages).
            case .json, .text: return nil
            default:
                throw notBytes(entity.content)
            }
        }
    }
}
