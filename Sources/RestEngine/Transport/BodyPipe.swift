import Synchronization

/// A body that is passed between two threads with a limited buffer: the writer waits for the reader (rules
/// 69).
///
/// The body can be read only once, from its beginning. Any thread.
public final class BodyPipe: Sendable {
    private struct Ends {
        var state: BodyPipeState
        var onReadable: (@Sendable () -> Void)?
        var onRoom: (@Sendable () -> Void)?
    }

    /// Bytes that may be buffered, besides those of the last write.
    package static let usualCapacity = 128 << 10

    /// The announced length; nil if it is unknown. A body that turns out longer or shorter ends with an
    /// error.
    public let length: Int64?
    private let ends: Mutex<Ends>

    /// - Parameter length: The bytes that will be written; nil if unknown, for a chunked body.
    public convenience init(length: Int64? = nil) {
        self.init(length: length, capacity: Self.usualCapacity)
    }

    package init(length: Int64?, capacity: Int) {
        self.length = length
        ends = Mutex(Ends(state: BodyPipeState(capacity: capacity, length: length)))
    }

    // MARK: Writing

    /// Sets the callback for the writer. It is called when there is room again after a write that returned
    /// false, and when the first byte is wanted; on the reader's thread, with no lock held.
    public func onRoom(_ body: @escaping @Sendable () -> Void) {
        ends.withLock { if !$0.state.isOver { $0.onRoom = body } }
    }

    /// Adds the next bytes, even if there is no room.
    ///
    /// - Returns: False if the writer should wait for ``onRoom(_:)`` before the next write.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool { change { $0.write(bytes) } }

    /// Marks the end of the body, also of one whose length was announced: its last byte waits for this.
    public func finish() { change { $0.end(.whole) } }

    /// Ends the body with an error: the reader fails, and buffered bytes are dropped.
    public func fail(_ error: TransportError) { change { $0.end(.broken(error)) } }

    // MARK: Reading

    /// Sets the callback for the reader. It is called when there is data again after a read that found none;
    /// on the writer's thread, with no lock held.
    package func onReadable(_ body: @escaping @Sendable () -> Void) {
        ends.withLock { if !$0.state.isOver { $0.onReadable = body } }
    }

    /// The result of a read.
    package enum Step<Bytes: Sendable>: Sendable {
        case bytes(Bytes)
        /// No data now.
        case nothing
        case end
        case broken(TransportError)
    }

    /// Reads as many bytes as are buffered and fit.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Step<Int> {
        change { $0.read(into: buffer) }
    }

    /// Returns the next bytes, of one write or of several together.
    package func next() -> Step<[UInt8]> { change { $0.next() } }

    /// Ends reading: later writes are dropped.
    package func close() { change { $0.close() } }

    /// Whether a part was read, so that the body can't be read from its beginning.
    package var isSpent: Bool { ends.withLock { $0.state.isSpent } }

    /// Whether reading has ended.
    package var isClosed: Bool { ends.withLock { $0.state.isClosed } }

    /// The number of buffered bytes.
    package var waitingBytes: Int { ends.withLock { $0.state.count } }

    /// Changes the state, and notifies the other end if necessary.
    private func change<Value: Sendable>(_ body: (inout BodyPipeState) -> Value) -> Value {
        let (value, notified) = ends.withLock { ends in
            let value = body(&ends.state)
            let signal = ends.state.takeSignal()
            let notified: (@Sendable () -> Void)? =
                switch signal {
                case nil: nil
                case .readable: ends.onReadable
                case .room: ends.onRoom
                }
            // There are no further notifications, and the pipe must not keep its ends alive.
            if ends.state.isOver { (ends.onReadable, ends.onRoom) = (nil, nil) }
            return (value, notified)
        }
        notified?()
        return value
    }
}

extension BodyPipe: Hashable {
    public static func == (one: BodyPipe, other: BodyPipe) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads a pipe to its end, for code that needs the whole body.
@EngineActor
final class CollectedBody {
    private var bytes: [UInt8] = []
    private let mostBytes: Int
    private var completion: ((Result<[UInt8], TransportError>) -> Void)?

    /// - Parameters:
    ///   - mostBytes: The limit; the rest is read and dropped.
    ///   - completion: Called once, possibly before this returns.
    init(
        of pipe: BodyPipe, keeping mostBytes: Int = .max,
        _ completion: @escaping @EngineActor (Result<[UInt8], TransportError>) -> Void
    ) {
        self.mostBytes = mostBytes
        self.completion = completion
        // The pipe holds this object, so this object must not hold the pipe.
        pipe.onReadable { [weak pipe] in
            EngineLoop.shared.submit { if let pipe { self.take(pipe) } }
        }
        take(pipe)
    }

    private func take(_ pipe: BodyPipe) {
        while let completion {
            switch pipe.next() {
            case .bytes(let some): bytes += some.prefix(mostBytes - bytes.count)
            case .nothing: return
            case .end:
                self.completion = nil
                completion(.success(bytes))
            case .broken(let error):
                self.completion = nil
                completion(.failure(error))
            }
        }
    }
}
