/// A Swift function of content as a transformer; its types are the rules (rules 17.4–17.9).
///
/// `Input` is what ``Content/cast(to:)`` can give: ``Tree`` for JSON, `String` for text, `[UInt8]` for bytes,
/// ``Image``, or what an earlier Swift transformer made; ``Content`` itself takes anything. `Output` becomes
/// content in the same way, types of your own as ``Content/native(_:)``.
///
/// It runs on a thread of its own kind beside the engine loop, so that one that takes long holds up nobody
/// but those who ask for the same URL, whose responses keep their order: its function belongs to no actor.
public struct TypedTransformer<Input, Output: Sendable>: ThreadedTransformer {
    /// For `explain`, logs and errors.
    public let description: String
    /// What becomes of content that is no `Input`.
    public var onMismatch: InputMismatch
    /// The bodies of errors are transformed as well; one that fails leaves its error as it was (17.8, 17.9).
    public var transformErrors: Bool
    /// A success without a body is transformed as well, as what ``Content/cast(to:)`` makes of it; else it is
    /// passed on (D30).
    public var transformEmpty: Bool
    /// It runs on the engine loop after all: for a function that takes less than some microseconds, which is
    /// what going to another thread and coming back takes. Everything else of the engine waits for it.
    public var onEngineLoop = false
    /// Contents of fewer bytes are transformed on the loop too.
    var leastSize = 0
    private let transform: @Sendable (Input, Entity) throws -> Output?

    public nonisolated init(
        description: String, onMismatch: InputMismatch = .error, transformErrors: Bool = false,
        transformEmpty: Bool = false,
        _ transform: @escaping @Sendable (Input, Entity) throws -> Output?
    ) {
        self.description = description
        self.onMismatch = onMismatch
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
        self.transform = transform
    }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context, note: note) {
            try newContent(of: $0)
        }
    }

    package nonisolated func belongsOnThread(_ response: Response) -> Bool {
        guard !onEngineLoop, let entity = response.entity else { return false }
        if case .failure = response, !transformErrors { return false }
        if entity.content.isNoBody, !transformEmpty { return false }
        return leastSize == 0 || entity.content.size >= leastSize
    }

    /// Nil to leave the content as it is.
    private nonisolated func newContent(of entity: Entity) throws -> Content? {
        let content = entity.content
        guard let input: Input = content.cast() ?? content as? Input else {
            switch onMismatch {
            case .skip: return nil
            case .skipIfOutputMatches where content.cast(to: Output.self) != nil: return nil
            default:
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: Content.typeName(of: Input.self), actual: content.swiftTypeName,
                        transformer: description))
            }
        }
        guard let output = try transform(input, entity) else {
            throw RequestError.CauseError(.transformerReturnedNil(transformer: description))
        }
        return Content(output)
    }
}

/// What becomes of content that is not of the type that a transformer takes (rule 17.5).
public enum InputMismatch: String, Sendable, CaseIterable {
    /// The request fails with cause `wrong_input_type`.
    case error
    /// The content passes as it is.
    case skip
    /// It passes if it is already what the transformer would make.
    case skipIfOutputMatches = "skip_if_output_matches"
}

/// What becomes of a stage's transformers when another is added (rule 14.17).
public enum StageAction: String, Sendable, CaseIterable {
    case replace, append
}
