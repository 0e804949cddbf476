/// Bytes of one JSON value a line become an array of the values.
public struct NDJSONTransformer: StandardTransforming {
    /// The bodies of errors are parsed too.
    public var transformErrors: Bool
    /// A success without a body becomes an empty array, which is what no line is; else it is passed on (D30).
    public var transformEmpty: Bool

    public nonisolated init(transformErrors: Bool = true, transformEmpty: Bool = true) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    public nonisolated var description: String { "ndjson" }

    /// A line costs as much as a hundred bytes.
    nonisolated var largeSize: Int { LargeContent.leastSize }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context, note: note) {
            entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                let limits = JSONTransformer.limits(context)
                do throws(JSONError) { return .json(try Tree(jsonLines: bytes, limits: limits)) } catch {
                    if error.code == .tooLarge { throw JSONTransformer.tooLarge(context) }
                    throw RequestError.CauseError(
                        .malformedJSON(offset: error.offset, message: error.message))
                }
            // Another standard transformer had it first, in an earlier stage (guide ThePipeline, Stages).
            case .json, .text: return nil
            default:
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: "bytes", actual: entity.content.typeName, transformer: description))
            }
        }
    }
}
