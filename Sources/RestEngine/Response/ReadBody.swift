/// The body that a standard transformer has read, so that what nothing changes goes out as it came.
package enum ReadBody: Sendable {
    /// The text of the content, in UTF-8.
    case text
    /// One JSON text, of which the content is the value.
    case json([UInt8])
    /// Any other bytes.
    case bytes([UInt8])

    /// Its bytes; nil when they are the content's own.
    package var bytes: [UInt8]? {
        switch self {
        case .text: nil
        case .json(let bytes), .bytes(let bytes): bytes
        }
    }

    var isJSON: Bool { if case .json = self { true } else { false } }

    var isText: Bool { if case .text = self { true } else { false } }

    var heldBytes: Int { bytes?.count ?? 0 }

    /// Bytes that it keeps beside a content.
    func heldBytes(beside content: Content) -> Int {
        guard let bytes else { return 0 }
        if case .json(let tree) = content, let text = tree.text?.reading?.text, text.isSame(as: bytes) {
            return 0
        }
        return bytes.count
    }
}

extension [UInt8] {
    /// The same memory.
    fileprivate func isSame(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}
