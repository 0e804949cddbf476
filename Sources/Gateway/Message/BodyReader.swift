import NIOCore
import RestEngine

/// Takes one request's body from the bytes behind its head (RFC 9112 6, 7.1), by its announced length or in
/// chunks. It is as strict as ``RequestParser``, and its result doesn't depend on how the bytes were split
/// either.
struct BodyReader: Equatable {
    enum Step: Equatable {
        case needMore
        case part(ByteBuffer)
        /// The body is complete, and the next request begins behind it.
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
    /// The limit for all trailer fields together, which are read and dropped (RFC 9110 6.5.1).
    private let maxTrailerBytes: Int
    private static let maxSizeLine = 256
    /// Bytes of chunk extensions that came without bytes of the body.
    private var excess = 0
    private static let maxExcess = 16 << 10

    /// - Parameter contentLength: Nil for a body in chunks.
    init(contentLength: Int?, limits: GatewayLimits) {
        state = contentLength.map { .length($0) } ?? .chunkSize
        maxTrailerBytes = limits.maxHeaderBytes
    }

    /// Takes the step's bytes from `input`.
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
                    excess = max(0, excess + line.readableBytes - 16 - 2 * size)
                    guard excess <= Self.maxExcess else { return .fault(.badChunk) }
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

    /// A line without its CR LF, which count towards the limit.
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

    /// `chunk-size [ chunk-ext ]` (RFC 9112 7.1). Nil for anything else.
    private static func size(_ line: ByteBuffer) -> Int? {
        line.withUnsafeReadableBytes { bytes in
            var size = 0
            var count = 0
            digits: while count < bytes.count {
                let byte = bytes[count]
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int(byte - 0x30)
                case UInt8(ascii: "a")...UInt8(ascii: "f"): size = size << 4 | Int(byte - 0x57)
                case UInt8(ascii: "A")...UInt8(ascii: "F"): size = size << 4 | Int(byte - 0x37)
                default: break digits
                }
                count += 1
                if count > 15 { return nil }
            }
            guard count > 0, count == bytes.count || areExtensions(bytes, from: count) else { return nil }
            return size
        }
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS value ] )` (RFC 9112 7.1.1). This reader ignores extensions, but
    /// they must be well formed: readers that disagree about the end of an extension disagree about where a
    /// request begins.
    private static func areExtensions(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var index = start
        while index < bytes.count {
            index = end(of: bytes, from: index, HTTPByte.isBlank)
            guard index < bytes.count, bytes[index] == UInt8(ascii: ";") else { return false }
            let name = end(of: bytes, from: index + 1, HTTPByte.isBlank)
            index = end(of: bytes, from: name, HTTPByte.isToken)
            guard index > name else { return false }
            let equals = end(of: bytes, from: index, HTTPByte.isBlank)
            guard equals < bytes.count, bytes[equals] == UInt8(ascii: "=") else { continue }
            let value = end(of: bytes, from: equals + 1, HTTPByte.isBlank)
            guard let end = endOfValue(bytes, from: value) else { return false }
            index = end
        }
        return true
    }

    /// A token or a quoted string (RFC 9110 5.6.4).
    private static func endOfValue(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else {
            let end = end(of: bytes, from: start, HTTPByte.isToken)
            return end > start ? end : nil
        }
        var index = start + 1
        while index < bytes.count, HTTPByte.isFieldValue(bytes[index]) {
            if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
                guard index < bytes.count, HTTPByte.isFieldValue(bytes[index]) else { return nil }
            }
            index += 1
        }
        return nil
    }

    private static func end(
        of bytes: UnsafeRawBufferPointer, from start: Int, _ isIn: (UInt8) -> Bool
    ) -> Int {
        var index = start
        while index < bytes.count, isIn(bytes[index]) { index += 1 }
        return index
    }
}
