import NIOCore

/// The body of an answer. A small body stays in the engine's form until it goes out in one piece with a head,
/// because a buffer of its own costs more than the copy.
enum AnswerBody: Sendable {
    case bytes([UInt8])
    case buffer(ByteBuffer)

    /// Larger bodies are sent as a second piece, because copying them costs more.
    static let largestJoined = 16 << 10

    init(_ bytes: [UInt8]) {
        self = bytes.count <= Self.largestJoined ? .bytes(bytes) : .buffer(ByteBuffer(bytes: bytes))
    }

    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .buffer(let buffer): buffer.readableBytes
        }
    }

    /// The number of bytes that go out in one piece with a head.
    var joinedCount: Int { count <= Self.largestJoined ? count : 0 }

    /// Puts the body behind `head`: at its end, or as the buffer that is returned.
    func join(_ head: inout ByteBuffer) -> ByteBuffer? {
        switch self {
        case .bytes(let bytes): head.writeBytes(bytes)
        case .buffer(let buffer) where buffer.readableBytes <= Self.largestJoined:
            head.writeImmutableBuffer(buffer)
        case .buffer(let buffer): return buffer
        }
        return nil
    }

    /// A part, which shares the memory of a large body.
    subscript(range: Range<Int>) -> AnswerBody? {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[range]))
        case .buffer(let buffer):
            buffer.getSlice(at: buffer.readerIndex + range.lowerBound, length: range.count).map(Self.buffer)
        }
    }
}
