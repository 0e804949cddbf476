/// Bytes become text, by the charset that the server named, or ISO-8859-1 (rule 18.3).
public struct TextTransformer: StandardTransforming {
    /// The bodies of errors are decoded too.
    public var transformErrors: Bool
    /// A success without a body is not passed on: it becomes an empty text (D30).
    public var transformEmpty: Bool

    public nonisolated init(transformErrors: Bool = true, transformEmpty: Bool = false) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    public nonisolated var description: String { "text" }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context, note: note) {
            entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes): return .text(try decode(bytes, charset: entity.charset ?? "iso-8859-1"))
            // A JSON transformer of an earlier stage had it first (D11).
            case .json: return nil
            default:
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: "bytes", actual: entity.content.typeName, transformer: description))
            }
        }
    }

    private nonisolated func decode(_ bytes: [UInt8], charset: String) throws(RequestError.CauseError)
        -> String
    {
        guard let encoding = TextCharset(charset) else {
            throw RequestError.CauseError(.invalidTextEncoding(name: charset))
        }
        guard let text = encoding.decode(bytes) else {
            throw RequestError.CauseError(.undecodableText(encoding: charset))
        }
        return text
    }
}
