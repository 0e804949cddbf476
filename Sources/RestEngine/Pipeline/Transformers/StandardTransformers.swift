/// A transformer of bytes. If several in one stage accept a content type, only the first of them handles it
/// (guide ThePipeline, Stages).
protocol StandardTransforming: PortableTransformer {
    /// A body with more bytes may take milliseconds, too long for other work of the loop to wait.
    nonisolated var largeSize: Int { get }
}

extension Content {
    /// The bytes of a body that has not been parsed.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension StandardTransforming {
    nonisolated var largeSize: Int { LargeContent.leastParsedSize }

    /// The error for content that neither a server nor a standard transformer made.
    nonisolated func notBytes(_ content: Content) -> RequestError.CauseError {
        RequestError.CauseError(
            .wrongInputType(expected: "bytes", actual: content.typeName, transformer: description))
    }
}

/// The transformers that a service has by default, each in a configuration block of its own (rule 1.5).
public enum StandardTransformer: String, Sendable, CaseIterable {
    /// JSON, for `*/json` and `*/*+json`.
    case json
    /// Text, for `text/*`.
    case text
    /// Images, for `image/*`.
    case image
    /// Lines of JSON.
    case ndjson

    /// The content types for which a service adds it.
    package var contentTypes: [String] {
        switch self {
        case .json: ["*/json", "*/*+json"]
        case .text: ["text/*"]
        case .image: ["image/*"]
        // No type is registered (ndjson.org, jsonlines.org).
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

/// Decodes bytes into text, with the charset named by the server or the document; otherwise as UTF-8, or as
/// windows-1252 if the bytes are not UTF-8 (rule 18.3, D41).
public struct TextTransformer: StandardTransforming {
    /// Whether to decode the bodies of errors too.
    public var transformErrors: Bool
    /// Whether to decode a success without a body too, into an empty text; otherwise it is passed on (D30).
    public var transformEmpty: Bool
    /// Overrides the charset that server and document name; nil: not overridden.
    public var charset: String?

    /// The values are those of the properties by the same names.
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
            // A JSON transformer in an earlier stage has handled it (D11).
            case .json: return nil
            default:
                throw notBytes(entity.content)
            }
        }
    }

    /// Nil if a script overrides the charset, because the bytes then have another meaning than the server
    /// says.
    private nonisolated func body(of entity: Entity, read content: Content) -> ReadBody? {
        guard charset == nil, case .text(let text) = content, let bytes = entity.content.bytes else {
            return nil
        }
        return text.utf8.elementsEqual(bytes) ? .text : .bytes(bytes)
    }
}

/// Parses the bytes of an image for its format and size (rule 18.4).
package struct ImageTransformer: StandardTransforming {
    /// Whether to parse the bodies of errors too.
    package var transformErrors: Bool
    /// Whether to parse a success without a body too, which fails because it is no image; otherwise it is
    /// passed on (D30).
    package var transformEmpty: Bool

    package nonisolated init(transformErrors: Bool = false, transformEmpty: Bool = false) {
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    package nonisolated var description: String { "image" }

    /// Only the head of the image is read.
    nonisolated var largeSize: Int { .max }

    package nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context, note: note) {
            entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes):
                guard let image = Image(bytes: bytes) else { throw RequestError.CauseError(.unparsableImage) }
                return .image(image)
            // Another standard transformer in an earlier stage has handled it (guide ThePipeline, Stages).
            case .json, .text: return nil
            default:
                throw notBytes(entity.content)
            }
        }
    }
}
