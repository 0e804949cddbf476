/// Bytes of an image become one with its format and size (siesta-semantics 18.4).
public struct ImageTransformer: StandardTransforming {
    /// The bodies of errors are decoded too.
    public var transformErrors: Bool

    public nonisolated init(transformErrors: Bool = false) { self.transformErrors = transformErrors }

    public nonisolated var description: String { "image" }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, context, note: note) {
            entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                guard let image = Image(bytes: bytes) else { throw RequestError.CauseError(.unparsableImage) }
                return .image(image)
            // Another standard transformer had it first, in an earlier stage (lua-api, Pipeline).
            case .json, .text: return nil
            default:
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: "bytes", actual: entity.content.typeName, transformer: description))
            }
        }
    }
}
