/// A transformer of bytes. Of several in one stage the first that is for a content type has it to itself
/// (guide ThePipeline, Stages).
protocol StandardTransforming: PortableTransformer {
    /// A body of more bytes may take milliseconds, for which nobody shall wait who wants something else of
    /// the loop.
    nonisolated var largeSize: Int { get }
}

extension Content {
    /// Those of a body that nothing has interpreted.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension StandardTransforming {
    nonisolated var largeSize: Int { LargeContent.leastParsedSize }

    /// Of content that neither a server nor a standard transformer made.
    nonisolated func notBytes(_ content: Content) -> RequestError.CauseError {
        RequestError.CauseError(
            .wrongInputType(expected: "bytes", actual: content.typeName, transformer: description))
    }
}

/// The transformers that a service has unless it says otherwise, each a configuration block of its own
/// (rule 1.5).
public enum StandardTransformer: String, Sendable, CaseIterable {
    case json, text, image, ndjson

    /// The content types that a service adds it for.
    public var contentTypes: [String] {
        switch self {
        case .json: ["*/json", "*/*+json"]
        case .text: ["text/*"]
        case .image: ["image/*"]
        // None is registered (ndjson.org, jsonlines.org).
        case .ndjson:
            ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"]
        }
    }

    /// The transformer that a service adds.
    public var transformer: any Transformer {
        switch self {
        case .json: JSONTransformer()
        case .ndjson: NDJSONTransformer()
        case .text: TextTransformer()
        case .image: ImageTransformer()
        }
    }

    var entry: ConfigurationEntry {
        ConfigurationEntry(pattern: .all, description: "standard \(rawValue) transformer", isUniform: true) {
            draft in
            draft.configuration.pipeline["parsing"].add(transformer, contentTypes: contentTypes)
        }
    }
}

/// Bytes become text, by the charset that the server or the document names, else UTF-8, or windows-1252 where
/// they are none (rule 18.3, D41).
public struct TextTransformer: StandardTransforming {
    /// The bodies of errors are decoded too.
    public var transformErrors: Bool
    /// A success without a body is not passed on: it becomes an empty text (D30).
    public var transformEmpty: Bool
    /// Decides over what server and document say; nil believes them.
    public var charset: String?

    public nonisolated init(
        transformErrors: Bool = true, transformEmpty: Bool = false, charset: String? = nil
    ) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
        self.charset = charset
    }

    public nonisolated var description: String { "text" }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(
            of: response, errors: transformErrors, empty: transformEmpty, context, note: note,
            body: body(of:read:)
        ) { entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                let body = BodyText(
                    bytes, contentType: entity.headers["Content-Type"], charset: entity.charset)
                if let charset { return .text(try body.decode(as: charset)) }
                return .text(try body.decode())
            // A JSON transformer of an earlier stage had it first (D11).
            case .json: return nil
            default:
                throw notBytes(entity.content)
            }
        }
    }

    /// None where a script knows better than the server what its bytes mean.
    private nonisolated func body(of entity: Entity, read content: Content) -> ReadBody? {
        guard charset == nil, case .text(let text) = content, let bytes = entity.content.bytes else {
            return nil
        }
        return text.utf8.elementsEqual(bytes) ? .text : .bytes(bytes)
    }
}

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
                throw notBytes(entity.content)
            }
        }
    }
}
