/// A Swift function of content as a transformer; its types are the rules (rules 17.4–17.9).
///
/// `Input` is what ``Content/cast(to:)`` can give: ``Tree`` for JSON, `String` for text, `[UInt8]` for bytes,
/// ``Image``, or what an earlier Swift transformer made; ``Content`` itself takes anything. `Output` becomes
/// content in the same way, types of your own as ``Content/native(_:)``.
public struct TypedTransformer<Input, Output: Sendable>: Transformer {
    /// For `explain`, logs and errors.
    public let description: String
    /// What becomes of content that is no `Input`.
    public var onMismatch: InputMismatch
    /// The bodies of errors are transformed as well; one that fails leaves its error as it was (17.8, 17.9).
    public var transformErrors: Bool
    /// A success without a body is transformed as well, as what ``Content/cast(to:)`` makes of it; else it is
    /// passed on (D30).
    public var transformEmpty: Bool
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

    public func process(_ response: Response, _ context: PipelineContext) -> Response {
        mapContent(of: response, errors: transformErrors, empty: transformEmpty, context) {
            context.log?.write(.pipeline, $0)
        } _: {
            try newContent(of: $0)
        }
    }

    /// Nil to leave the content as it is.
    private func newContent(of entity: Entity) throws -> Content? {
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
