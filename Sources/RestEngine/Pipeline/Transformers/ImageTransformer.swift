/// Bytes of an image become one with its format and size (rule 18.4).
public struct ImageTransformer: StandardTransforming {
    /// The bodies of errors are decoded too.
    public var transformErrors: Bool
    /// A success without a body is not passed on: it is no image (D30).
    public var transformEmpty: Bool

    public nonisolated init(transformErrors: Bool = false, transformEmpty: Bool = false) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    public nonisolated var description: String { "image" }

    /// Only its head is looked at.
    nonisolated var largeSize: Int { .max }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context, note: note) {
            entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                guard let image = Image(bytes: bytes) else { throw RequestError.CauseError(.unparsableImage) }
                return .image(image)
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
