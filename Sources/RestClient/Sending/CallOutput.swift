public import RestEngine

/// A type that a call may give though it isn't `Decodable`: `Entity`, `Image`, and any type that a
/// transformer of the service makes.
///
///     extension Thumbnail: CallContent {}
public protocol CallContent: Sendable {}

extension Entity: CallContent {}
extension Image: CallContent {}
extension Optional: CallContent where Wrapped: CallContent {}
extension Array: CallContent where Element: CallContent {}

/// How the output of a call is made of an answer.
struct CallOutput<Output: Sendable>: Sendable {
    /// The output is the body as the server sent it, so it isn't parsed.
    let isRaw: Bool
    /// Throws a ``RequestError`` for content that is no `Output`.
    ///
    /// - Parameter body: As the server sent it, where the content is something else.
    let make: @Sendable (Entity, [UInt8]?, TreeDecoder) throws(RequestError) -> Output
}

extension CallOutput where Output == Void {
    static var nothing: CallOutput { CallOutput(isRaw: true) { _, _, _ throws(RequestError) in } }
}

extension CallOutput where Output: CallContent {
    static var content: CallOutput {
        CallOutput(isRaw: false) { entity, _, decoder throws(RequestError) in
            if let whole = entity as? Output { return whole }
            return try entity.content(as: Output.self, decoder: decoder)
        }
    }
}

extension CallOutput where Output: Decodable {
    static var decoded: CallOutput {
        guard RawOutput(Output.self) != nil else {
            return CallOutput(isRaw: false) { entity, _, decoder throws(RequestError) in
                try entity.content(as: Output.self, decoder: decoder)
            }
        }
        return CallOutput(isRaw: true) { entity, body, decoder throws(RequestError) in
            // The content of a decorator or a cache may be no body.
            if let value = entity.content.cast(to: Output.self) { return value }
            if let bytes = entity.bodyBytes ?? body,
                let value = try RawOutput(Output.self)?.value(of: bytes, entity) as? Output
            {
                return value
            }
            return try entity.content(as: Output.self, decoder: decoder)
        }
    }
}

/// An output that is the body itself, or an `Optional` of it.
private enum RawOutput {
    case text
    case bytes(any RangeReplaceableCollection.Type)

    init?(_ type: Any.Type) {
        let type = (type as? any OptionalOutput.Type)?.wrapped ?? type
        if type is String.Type {
            self = .text
        } else if let bytes = type as? any RangeReplaceableCollection.Type, Self.isOfBytes(bytes) {
            self = .bytes(bytes)
        } else {
            return nil
        }
    }

    private static func isOfBytes<Bytes: RangeReplaceableCollection>(_ type: Bytes.Type) -> Bool {
        Bytes.Element.self == UInt8.self
    }

    func value(of bytes: [UInt8], _ entity: Entity) throws(RequestError) -> Any {
        switch self {
        case .text: try entity.text(ofBody: bytes)
        case .bytes(let type): Self.collection(type, bytes)
        }
    }

    private static func collection<Bytes: RangeReplaceableCollection>(
        _ type: Bytes.Type, _ bytes: [UInt8]
    ) -> Any {
        if type is [UInt8].Type { return bytes }
        // Its elements are bytes.
        return (bytes as? [Bytes.Element]).map { Bytes($0) } ?? bytes
    }
}

private protocol OptionalOutput {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalOutput {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}
