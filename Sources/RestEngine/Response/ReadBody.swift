/// The body that a standard transformer has read, so that unchanged content is sent on as it came.
package enum ReadBody: Sendable {
    /// The text of the content, in UTF-8.
    case text
    /// One JSON text, whose value is the content.
    case json([UInt8])
    /// Any other bytes.
    case bytes([UInt8])

    /// The bytes; nil if they are the bytes of the content itself.
    package var bytes: [UInt8]? {
        switch self {
        case .text: nil
        case .json(let bytes), .bytes(let bytes): bytes
        }
    }

    var isJSON: Bool { if case .json = self { true } else { false } }

    var isText: Bool { if case .text = self { true } else { false } }

    var heldBytes: Int { bytes?.count ?? 0 }

    /// The bytes that it holds in addition to the content.
    func heldBytes(beside content: Content) -> Int {
        guard let bytes else { return 0 }
        if case .json(let tree) = content, let text = tree.text?.reading?.text, text.isSame(as: bytes) {
            return 0
        }
        return bytes.count
    }
}

extension [UInt8] {
    /// Whether both share the same memory.
    fileprivate func isSame(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}

extension Entity {
    /// The bytes of the body, if the content is these bytes or was only read from them.
    package var bodyBytes: [UInt8]? { content.bytes ?? body?.bytes }

    /// The text of a body of this entity's type and charset (rule 18.3).
    package func text(ofBody bytes: [UInt8]) throws(RequestError) -> String {
        let text = BodyText(bytes, contentType: headers["Content-Type"], charset: charset)
        do throws(RequestError.CauseError) { return try text.decode() } catch {
            throw RequestError(entity: self, cause: error.cause, timestamp: timestamp)
        }
    }
}
