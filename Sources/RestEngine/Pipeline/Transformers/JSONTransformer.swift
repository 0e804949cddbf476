/// Bytes of JSON become a tree (siesta-semantics 18.1, 18.2).
public struct JSONTransformer: StandardTransforming {
    /// The bodies of errors are parsed too.
    public var transformErrors: Bool
    /// Accept a number, string, boolean or null at the top.
    public var allowFragments: Bool

    public nonisolated init(transformErrors: Bool = true, allowFragments: Bool = false) {
        self.transformErrors = transformErrors
        self.allowFragments = allowFragments
    }

    public nonisolated var description: String { "json" }

    public nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        mapContent(of: response, errors: transformErrors, context, note: note) {
            entity throws(RequestError.CauseError) in
            guard case .bytes(let bytes) = entity.content else {
                throw RequestError.CauseError(
                    .wrongInputType(
                        expected: "bytes", actual: entity.content.typeName, transformer: description))
            }
            let tree: Tree
            do throws(JSONError) { tree = try Tree(json: bytes) } catch {
                throw RequestError.CauseError(.malformedJSON(offset: error.offset, message: error.message))
            }
            guard allowFragments || tree.kind == .object || tree.kind == .array else {
                throw RequestError.CauseError(.jsonNotObjectOrArray(actual: tree.kind.typeName))
            }
            return .json(tree)
        }
    }
}
