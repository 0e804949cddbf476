import NIOCore
import RestEngine

/// Takes one request's body from the bytes behind its head (RFC 9112 6, 7.1): as long as it was announced, or
/// in chunks. As strict as ``RequestParser``, and like it indifferent to how the bytes were split.
struct BodyReader: Equatable {
    enum Step: Equatable {
        case needMore
        case part(ByteBuffer)
        /// The next request begins behind it.
        case end
        case fault(RequestFault)
    }

    private enum State: Equatable {
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer(Int)
        case ended
    }

    private var state: State
    /// Of all trailer fields, which are read and forgotten (RFC 9110 6.5.1).
    private let maxTrailerBytes: Int
    private static let maxSizeLine = 256

    /// - Parameter contentLength: nil for a body in chunks.
    init(contentLength: Int?, limits: GatewayLimits) {
        state = contentLength.map { .length($0) } ?? .chunkSize
        maxTrailerBytes = limits.maxHeaderBytes
    }

    /// Takes what it gives from `input`.
    mutating func next(_ input: inout ByteBuffer) -> Step {
        while true {
            switch state {
            case .length(0), .ended:
                state = .ended
                return .end
            case .length(let left):
                guard let part = input.readSlice(length: min(left, input.readableBytes)),
                    part.readableBytes > 0
                else { return .needMore }
                state = .length(left - part.readableBytes)
                return .part(part)
            case .chunk(0): state = .chunkEnd
            case .chunk(let left):
                guard let part = input.readSlice(length: min(left, input.readableBytes)),
                    part.readableBytes > 0
                else { return .needMore }
                state = .chunk(left - part.readableBytes)
                return .part(part)
            case .chunkSize:
                switch line(&input, most: Self.maxSizeLine) {
                case .needMore: return .needMore
                case .fault: return .fault(.badChunk)
                case .line(let line):
                    guard let size = Self.size(line) else { return .fault(.badChunk) }
                    state = size == 0 ? .trailer(0) : .chunk(size)
                }
            case .chunkEnd:
                switch line(&input, most: 2) {
                case .needMore: return .needMore
                case .line(let line) where line.readableBytes == 0: state = .chunkSize
                case .fault, .line: return .fault(.badChunk)
                }
            case .trailer(let count):
                switch line(&input, most: maxTrailerBytes - count) {
                case .needMore: return .needMore
                case .fault: return .fault(.badChunk)
                case .line(let line):
                    guard line.readableBytes > 0 else {
                        state = .ended
                        return .end
                    }
                    var head = RequestHead()
                    let fault = line.withUnsafeReadableBytes { head.readField($0, offset: 0) }
                    if let fault { return .fault(fault) }
                    state = .trailer(count + line.readableBytes + 2)
                }
            }
        }
    }

    private enum Line {
        case needMore
        case line(ByteBuffer)
        case fault
    }

    /// Without its CR LF, which count as well.
    private func line(_ input: inout ByteBuffer, most: Int) -> Line {
        let found = input.withUnsafeReadableBytes { bytes -> (end: Int?, isBroken: Bool) in
            let newline = bytes.firstNewline(from: 0)
            let end = newline ?? bytes.count
            guard let cr = bytes.firstReturn(from: 0, to: end) else { return (newline, newline != nil) }
            return (newline, newline == nil ? cr + 1 < end : cr + 1 != end)
        }
        if found.isBroken { return .fault }
        guard let end = found.end else { return input.readableBytes > most ? .fault : .needMore }
        guard end + 1 <= max(2, most), let line = input.readSlice(length: end - 1) else { return .fault }
        input.moveReaderIndex(forwardBy: 2)
        return .line(line)
    }

    /// `chunk-size [ chunk-ext ]` (RFC 9112 7.1.1). Nobody sends extensions, and readers differ about them.
    private static func size(_ line: ByteBuffer) -> Int? {
        line.withUnsafeReadableBytes { bytes in
            guard !bytes.isEmpty, bytes.count <= 15 else { return nil }
            var size = 0
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int(byte - 0x30)
                case UInt8(ascii: "a")...UInt8(ascii: "f"): size = size << 4 | Int(byte - 0x57)
                case UInt8(ascii: "A")...UInt8(ascii: "F"): size = size << 4 | Int(byte - 0x37)
                default: return nil
                }
            }
            return size
        }
    }
}
