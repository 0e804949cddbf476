import NIOCore
import NIOHPACK
import NIOHTTP2
import RestEngine

/// One answer as ``AnswerWriter`` writes it, in frames of HTTP/2.
struct TranslatedAnswer {
    private enum State {
        case head
        /// Bytes of the content that are still to come; nil: as many as there are until the end.
        case body(Int?)
        case ended
    }

    /// What is indexed is kept in a table whose size the client chooses, up to 4 GiB (RFC 7541 7.3).
    private let indexing: HPACKIndexing

    /// Then its content is not there, whatever its length.
    var isForHead = false
    private var state = State.head
    private var head = ByteBuffer()

    /// - Parameter indexing: For a client whose table is known to be small, its fields may be indexed.
    init(indexing: HPACKIndexing = .nonIndexable) { self.indexing = indexing }

    var isComplete: Bool { if case .ended = state { true } else { false } }

    var endsWithConnection: Bool { if case .body(nil) = state { true } else { false } }

    mutating func take(_ bytes: ByteBuffer) -> [HTTP2Frame.FramePayload] {
        var frames: [HTTP2Frame.FramePayload] = []
        var bytes = bytes
        while case .head = state {
            head.writeImmutableBuffer(bytes)
            guard let length = head.withUnsafeReadableBytes(Self.headLength),
                let text = head.readString(length: length)
            else { return frames }
            bytes = head
            head = ByteBuffer()
            frames.append(begin(text))
        }
        guard bytes.readableBytes > 0, case .body(let left) = state else { return frames }
        let part = bytes.readSlice(length: min(left ?? .max, bytes.readableBytes)) ?? ByteBuffer()
        let rest = left.map { $0 - part.readableBytes }
        state = rest == 0 ? .ended : .body(rest)
        frames.append(.data(.init(data: .byteBuffer(part), endStream: rest == 0)))
        return frames
    }

    private mutating func begin(_ text: String) -> HTTP2Frame.FramePayload {
        let lines = text.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? "500"
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: status, indexing: indexing)
        var length: Int?
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }.lowercased()
            let value = line.dropFirst(name.count + 1).trimmingBlanks
            // RFC 9113 8.2.2.
            if name == "connection" || name == "keep-alive" { continue }
            if name == "content-length" { length = Int(value) }
            headers.add(name: name, value: String(value), indexing: indexing)
        }
        // What is no answer yet is followed by another head (RFC 9110 15.2).
        if status.hasPrefix("1") { return .headers(.init(headers: headers)) }
        let isEmpty = isForHead || length == 0 || status == "204" || status == "304"
        state = isEmpty ? .ended : .body(length)
        return .headers(.init(headers: headers, endStream: isEmpty))
    }

    private static func headLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var start = 0
        while let newline = bytes.firstNewline(from: start) {
            // A line without anything but its end.
            if newline - start <= 1 { return newline + 1 }
            start = newline + 1
        }
        return nil
    }
}
