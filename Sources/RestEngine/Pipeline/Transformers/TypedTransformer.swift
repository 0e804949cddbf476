/// A transformer made from a Swift function; the types of the function determine its rules (rules 17.4–17.9).
///
/// `Input` is a type that ``Content/cast(to:)`` can return: ``Tree`` for JSON, `String` for text, `[UInt8]`
/// for bytes, ``Image``, or the output of an earlier Swift transformer; ``Content`` accepts any content.
/// `Output` becomes content in the same way; your own types become ``Content/native(_:)``.
///
/// It runs on a thread beside the engine loop. A slow function delays only requests for the same URL, whose
/// responses keep their order. The function must not belong to an actor.
public struct TypedTransformer<Input, Output: Sendable>: ThreadedTransformer {
    /// For `explain`, logs and errors.
    public let description: String
    /// The handling of content that is not an `Input`.
    public var onMismatch: InputMismatch
    /// Whether to transform the bodies of errors too; if that fails, the error stays the same (17.8, 17.9).
    public var transformErrors: Bool
    /// Whether to transform a success without a body too, with the result of ``Content/cast(to:)`` as input;
    /// otherwise it is passed on (D30).
    public var transformEmpty: Bool
    /// Whether to run the function on the engine loop, where all other work waits for it. Use this for a
    /// function that takes only a few microseconds, which is the time for switching to another thread and
    /// back.
    public var onEngineLoop = false
    /// Content with fewer bytes is transformed on the loop too.
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

    /// The new content; nil to keep the old one.
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

/// The handling of content whose type the transformer does not accept (rule 17.5).
public enum InputMismatch: String, Sendable, CaseIterable {
    /// The request fails with cause `wrong_input_type`.
    case error
    /// The content stays unchanged.
    case skip
    /// The content stays unchanged if it already has the output type of the transformer; otherwise the
    /// request fails.
    case skipIfOutputMatches = "skip_if_output_matches"
}

/// The effect on a stage's transformers when another is added (rule 14.17).
public enum StageAction: String, Sendable, CaseIterable {
    /// The others of the stage are removed.
    case replace
    /// It runs behind the others.
    case append
}
