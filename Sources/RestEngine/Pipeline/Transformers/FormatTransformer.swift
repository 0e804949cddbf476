/// Decodes bodies of a format that the engine itself doesn't know, as the standard transformers do: on
/// another thread if they are large.
package struct FormatTransformer: StandardTransforming {
    /// A decoder of the format.
    package struct Decoder: Sendable {
        /// The format for `explain` and errors; options that change its output belong to it, too.
        package let description: String
        /// Whether it takes text in UTF-8: then the body's charset is decoded before.
        package let isText: Bool
        /// Whether each of its values has a JSON form.
        package let isJSON: Bool
        /// Gets the bytes and the limits of the value.
        package let decode: @Sendable ([UInt8], Tree.Limits) throws(FormatError) -> Tree

        package init(
            _ description: String, isText: Bool, isJSON: Bool,
            _ decode: @escaping @Sendable ([UInt8], Tree.Limits) throws(FormatError) -> Tree
        ) {
            (self.description, self.isText, self.isJSON) = (description, isText, isJSON)
            self.decode = decode
        }
    }

    private let decoder: Decoder
    private let transformErrors: Bool
    private let transformEmpty: Bool

    /// - Parameters:
    ///   - transformErrors: Whether to decode the bodies of errors too.
    ///   - transformEmpty: Whether to decode a success without a body too; otherwise it is passed on (D30).
    package nonisolated init(
        _ decoder: Decoder, transformErrors: Bool = true, transformEmpty: Bool = false
    ) {
        self.decoder = decoder
        self.transformErrors = transformErrors
        self.transformEmpty = transformEmpty
    }

    package nonisolated var description: String { decoder.description }

    /// It may take several times as long as JSON.
    nonisolated var largeSize: Int { LargeContent.leastSize }

    package var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(decoder.description)
        hasher.combine(transformErrors)
        hasher.combine(transformEmpty)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    package nonisolated func process(
        _ response: Response, _ context: PipelineContext, note: (String) -> Void
    ) -> Response {
        // A part of a document can't be parsed (RFC 9110 15.3.7).
        if case .success(let entity) = response, entity.status == 206 { return response }
        return mapContent(
            of: response, errors: transformErrors, empty: transformEmpty, context, note: note,
            body: { entity, _ in entity.content.bytes.map(ReadBody.bytes) }
        ) { entity throws(RequestError.CauseError) in
            switch entity.content {
            case .bytes(let bytes): return try decoded(bytes, entity, context)
            // Another standard transformer in an earlier stage has handled it (guide ThePipeline, Stages).
            case .json, .text: return nil
            default: throw notBytes(entity.content)
            }
        }
    }

    private nonisolated func decoded(
        _ bytes: [UInt8], _ entity: Entity, _ context: PipelineContext
    ) throws(RequestError.CauseError) -> Content {
        var bytes = bytes
        if decoder.isText {
            let body = BodyText(bytes, contentType: entity.headers["Content-Type"], charset: entity.charset)
            bytes = Array(try body.decode().utf8)
        }
        let limits = JSONTransformer.limits(context)
        let given = bytes
        let tree: Tree
        do throws(FormatError) {
            tree = try LargeContent.oneAtATime(for: given.count) { () throws(FormatError) in
                try decoder.decode(given, limits)
            }
        } catch {
            if error.isTooLarge { throw JSONTransformer.tooLarge(context, of: error.format) }
            throw RequestError.CauseError(.malformedContent(error))
        }
        return decoder.isJSON || (try? tree.json()) != nil ? .json(tree) : .value(tree)
    }
}
