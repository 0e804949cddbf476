import NIOCore
import NIOHPACK
import NIOHTTP2

/// One answer in frames of HTTP/2 (RFC 9113 8.1).
struct TranslatedAnswer {
    private enum State {
        case head
        /// Bytes of the content that are still to come; nil: as many as there are until the end.
        case body(Int?)
        case ended
    }

    private let indexing: HPACKIndexing
    /// Then its content is not there, whatever its length.
    var isForHead = false
    private var state = State.head

    /// - Parameter indexing: For a client whose table is known to be small, its fields may be indexed.
    init(indexing: HPACKIndexing) { self.indexing = indexing }

    var isComplete: Bool { if case .ended = state { true } else { false } }

    var endsWithConnection: Bool { if case .body(nil) = state { true } else { false } }

    mutating func begin(_ head: ResponseHead) -> HTTP2Frame.FramePayload {
        let isEmpty = isForHead || head.content.length == 0 || head.status == 204 || head.status == 304
        // What is no answer yet is followed by another head (RFC 9110 15.2).
        if head.status >= 200 { state = isEmpty ? .ended : .body(head.content.length) }
        return .headers(.init(headers: head.list(indexing: indexing), endStream: isComplete))
    }

    /// The next part of the content, for which no bytes are the end where its length is not known. Nil for
    /// what is no part of it.
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

    /// The answer ends here, whether it is whole or not.
    mutating func breakOff() { state = .ended }
}
