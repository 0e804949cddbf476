import NIOCore
import NIOHPACK
import NIOHTTP2

/// One answer in frames of HTTP/2 (RFC 9113 8.1).
struct TranslatedAnswer {
    private enum State {
        case head
        /// The bytes of content that are still to come; nil if the length is unknown.
        case body(Int?)
        case ended
    }

    private let indexing: HPACKIndexing
    /// The answer is for HEAD, so it has no content, whatever its length field says.
    var isForHead = false
    private var state = State.head

    /// - Parameter indexing: Fields may be indexed for a client whose table is known to be small.
    init(indexing: HPACKIndexing) { self.indexing = indexing }

    var isComplete: Bool { if case .ended = state { true } else { false } }

    var endsWithConnection: Bool { if case .body(nil) = state { true } else { false } }

    mutating func begin(_ head: ResponseHead) -> HTTP2Frame.FramePayload {
        let isEmpty = isForHead || head.content.length == 0 || head.status == 204 || head.status == 304
        // An interim answer is followed by another head (RFC 9110 15.2).
        if head.status >= 200 { state = isEmpty ? .ended : .body(head.content.length) }
        return .headers(.init(headers: head.list(indexing: indexing), endStream: isComplete))
    }

    /// The next part of the content. If the length is unknown, an empty part ends it. Nil for bytes that
    /// don't belong to the content.
    mutating func take(_ bytes: ByteBuffer) -> HTTP2Frame.FramePayload? {
        guard case .body(let left) = state,
            let part = bytes.getSlice(at: bytes.readerIndex, length: min(left ?? .max, bytes.readableBytes)),
            left == nil || part.readableBytes > 0
        else { return nil }
        let rest = left.map { $0 - part.readableBytes }
        let isLast = rest.map { $0 == 0 } ?? (part.readableBytes == 0)
        state = isLast ? .ended : .body(rest)
        return .data(.init(data: .byteBuffer(part), endStream: isLast))
    }

    /// The answer ends here, complete or not.
    mutating func breakOff() { state = .ended }
}
