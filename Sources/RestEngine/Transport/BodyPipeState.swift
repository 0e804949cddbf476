/// The buffer of a ``BodyPipe``, and which of its ends waits for the other.
struct BodyPipeState {
    /// A notification for the other end.
    enum Signal: Equatable {
        /// There is data after a read that found none.
        case readable
        /// There is room after a write that had to wait.
        case room
    }

    /// The end of the writing.
    enum End: Equatable {
        case whole
        case broken(TransportError)
    }

    /// Bytes that may be buffered, besides those of the last write.
    let capacity: Int
    /// The announced length; nil if it is unknown.
    let length: Int64?
    private var written: Int64 = 0
    private var pieces: [[UInt8]] = []
    /// The number of bytes of the first piece that were read.
    private var place = 0
    /// The number of buffered bytes.
    private(set) var count = 0
    private(set) var isSpent = false
    private var end: End?
    private(set) var isClosed = false
    /// Whether writing has ended.
    var isOver: Bool { end != nil || isClosed }
    private var readerWaits = false
    /// True from the start: no bytes are wanted before the first read.
    private var writerWaits = true
    private var signal: Signal?

    /// Small writes are joined, so that there are few pieces.
    private static let joinedBytes = 16 << 10

    init(capacity: Int, length: Int64? = nil) { (self.capacity, self.length) = (capacity, length) }

    /// The last byte of an announced length waits for the end: otherwise a body could be sent as complete
    /// before a further byte shows that it is longer.
    private var heldBack: Int { end == nil && count > 0 && written == length ? 1 : 0 }

    mutating func takeSignal() -> Signal? {
        defer { signal = nil }
        return signal
    }

    // MARK: Writing

    /// False if the writer must wait.
    mutating func write(_ bytes: [UInt8]) -> Bool {
        guard !isClosed, end == nil else { return true }
        if !bytes.isEmpty {
            written += Int64(bytes.count)
            if let length, written > length {
                end(.broken(.wrongLength("longer", than: length)))
                return true
            }
            // By index, because changing a copy of the last piece would copy its bytes.
            if let last = pieces.indices.last, pieces[last].count + bytes.count <= Self.joinedBytes {
                pieces[last] += bytes
            } else {
                pieces.append(bytes)
            }
            count += bytes.count
            notifyReader()
        }
        if count >= capacity { writerWaits = true }
        return !writerWaits
    }

    mutating func end(_ end: End) {
        guard self.end == nil, !isClosed else { return }
        var end = end
        if end == .whole, let length, written < length {
            end = .broken(.wrongLength("shorter", than: length))
        }
        self.end = end
        if case .broken = end { drop() }
        notifyReader()
    }

    private mutating func notifyReader() {
        guard readerWaits else { return }
        readerWaits = false
        signal = .readable
    }

    // MARK: Reading

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPipe.Step<Int> {
        var copied = 0
        let most = min(buffer.count, count - heldBack)
        while copied < most, let piece = pieces.first {
            let part = min(most - copied, piece.count - place)
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[copied..<(copied + part)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[place..<(place + part)]))
            }
            copied += part
            place += part
            if place == piece.count {
                pieces.removeFirst()
                place = 0
            }
        }
        return took(copied) { copied }
    }

    mutating func next() -> BodyPipe.Step<[UInt8]> {
        guard count > heldBack else { return took(0) { [] } }
        var piece = pieces.removeFirst()
        if place > 0 { piece.removeFirst(place) }
        place = 0
        if piece.count == count, heldBack > 0, let last = piece.popLast() { pieces = [[last]] }
        return took(piece.count) { piece }
    }

    private mutating func took<Bytes>(_ taken: Int, _ bytes: () -> Bytes) -> BodyPipe.Step<Bytes> {
        count -= taken
        if taken > 0 { isSpent = true }
        if writerWaits, count <= capacity / 2, end == nil {
            writerWaits = false
            signal = .room
        }
        if taken > 0 { return .bytes(bytes()) }
        switch end {
        case .whole: return .end
        case .broken(let error): return .broken(error)
        case nil:
            readerWaits = true
            return .nothing
        }
    }

    mutating func close() {
        guard !isClosed else { return }
        isClosed = true
        drop()
        // In any case, so that a waiting writer continues.
        if end == nil { signal = .room }
        writerWaits = false
    }

    private mutating func drop() {
        pieces = []
        place = 0
        count = 0
    }
}

extension TransportError {
    fileprivate static func wrongLength(_ how: String, than length: Int64) -> TransportError {
        TransportError(
            .internal, phase: .send,
            message: "the body is \(how) than the \(length) bytes that were announced")
    }
}
