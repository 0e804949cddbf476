import NIOCore

/// The body of an answer. A small one stays as the engine has it until it goes out in one piece with a head:
/// a buffer of its own, and its way through the network library, cost more than it does.
enum AnswerBody: Sendable {
    case bytes([UInt8])
    case buffer(ByteBuffer)

    /// For larger ones a copy costs more than a second piece.
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

    /// How much of it goes out in one piece with a head.
    var joinedCount: Int { count <= Self.largestJoined ? count : 0 }

    /// Goes out behind `head`: at its end, or as what is given back.
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
