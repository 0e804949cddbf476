import Synchronization

/// The body of a response as far as it has come.
///
/// A small body is one array, which grows. Further bytes go into further arrays: copying megabytes to a
/// larger place would hold the loop, so the arrays are joined off the loop.
struct ReceivedBody {
    /// Room that every body has behind its end, for a parser that reads past it.
    private static let spareBytes = 64
    /// Of a piece, but for the last, and of what is reserved for a length that is only a claim.
    static let pieceBytes = 1 << 20

    /// The bytes that came last; the whole body where there are no pieces.
    private var bytes: [UInt8] = []
    private var pieces: [[UInt8]] = []
    private var countOfPieces = 0

    init() {}

    var count: Int { countOfPieces + bytes.count }

    var isEmpty: Bool { count == 0 }

    /// It was too large for one array.
    var isInPieces: Bool { !pieces.isEmpty }

    /// The memory that it needs in all to take so many bytes more; nil when it has the room.
    func room(for more: Int) -> Int? {
        let count = bytes.count + more
        return count + Self.spareBytes > bytes.capacity
            ? countOfPieces + Self.capacity(for: count, bytes) : nil
    }

    private static func capacity(for count: Int, _ bytes: [UInt8]) -> Int {
        count <= pieceBytes
            ? max(count, min(bytes.capacity * 2, pieceBytes)) + spareBytes
            : bytes.count + max(pieceBytes, count - bytes.count) + spareBytes
    }

    /// Bytes to make room for before the first, where a response announces so many.
    static func room(forAnnounced count: Int) -> Int { min(count, pieceBytes) + spareBytes }

    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Makes the room that ``room(for:)`` found missing.
    mutating func makeRoom(for more: Int) {
        let count = bytes.count + more
        guard count > Self.pieceBytes else {
            return bytes.reserveCapacity(Self.capacity(for: count, bytes))
        }
        if !bytes.isEmpty {
            countOfPieces += bytes.count
            pieces.append(bytes)
        }
        bytes = []
        bytes.reserveCapacity(max(Self.pieceBytes, more) + Self.spareBytes)
    }

    @inline(__always)
    mutating func append(_ part: UnsafeRawBufferPointer) { bytes.append(contentsOf: part) }

    /// All of it in one array, after which nothing is here. That takes long for one in pieces, each of which
    /// is freed when it was copied.
    mutating func join() -> [UInt8] {
        defer { self = ReceivedBody() }
        guard isInPieces else { return bytes }
        var whole: [UInt8] = []
        whole.reserveCapacity(count + Self.spareBytes)
        for index in pieces.indices {
            whole.append(contentsOf: pieces[index])
            pieces[index] = []
        }
        whole.append(contentsOf: bytes)
        return whole
    }
}

/// A large body on its way to the thread that joins it, which then has the only reference to the pieces.
final class LargeBody: Sendable {
    private let body: Mutex<ReceivedBody>

    init(_ body: consuming ReceivedBody) { self.body = Mutex(body) }

    func join() -> [UInt8] { body.withLock { $0.join() } }
}
