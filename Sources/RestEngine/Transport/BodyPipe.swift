import Synchronization

/// A body on its way between two threads, of which only so much is in memory: whoever writes it waits for
/// whoever reads it (rules 69).
///
/// What it is read for is told it once: a body that was begun can't be had again. Any thread.
public final class BodyPipe: Sendable {
    private struct Ends {
        var state: BodyPipeState
        var onReadable: (@Sendable () -> Void)?
        var onRoom: (@Sendable () -> Void)?
    }

    /// Bytes that wait at most, beside what was written last.
    package static let usualCapacity = 128 << 10

    /// As announced; nil where nobody knows.
    public let length: Int64?
    private let ends: Mutex<Ends>

    public convenience init(length: Int64? = nil) {
        self.init(length: length, capacity: Self.usualCapacity)
    }

    package init(length: Int64?, capacity: Int) {
        self.length = length
        ends = Mutex(Ends(state: BodyPipeState(capacity: capacity)))
    }

    // MARK: Writing

    /// `body` is called each time there is room again for a writer that was told that there is none, and when
    /// the first byte is wanted; on the reader's thread, with nothing locked.
    public func onRoom(_ body: @escaping @Sendable () -> Void) {
        ends.withLock { if !$0.state.isOver { $0.onRoom = body } }
    }

    /// Takes the next bytes, whatever the room.
    ///
    /// - Returns: False when the next are to wait until ``onRoom(_:)``.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool { change { $0.write(bytes) } }

    /// That was all.
    public func finish() { change { $0.end(.whole) } }

    /// The rest won't come: the reader fails, and what waits is of no use.
    public func fail(_ error: TransportError) { change { $0.end(.broken(error)) } }

    // MARK: Reading

    /// `body` is called each time there is something again for a reader that found nothing; on the writer's
    /// thread, with nothing locked.
    package func onReadable(_ body: @escaping @Sendable () -> Void) {
        ends.withLock { if !$0.state.isOver { $0.onReadable = body } }
    }

    /// What a reader finds.
    package enum Step<Bytes: Sendable>: Sendable {
        case bytes(Bytes)
        /// Nothing, for now.
        case nothing
        case end
        case broken(TransportError)
    }

    /// As many bytes as there are and fit.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Step<Int> {
        change { $0.read(into: buffer) }
    }

    /// The next bytes as they were written, or several writes together.
    package func next() -> Step<[UInt8]> { change { $0.next() } }

    /// Nobody reads any more: what is written is dropped.
    package func close() { change { $0.close() } }

    /// Some of it was read, so that nobody can have it from its beginning.
    package var isSpent: Bool { ends.withLock { $0.state.isSpent } }

    /// Nobody reads it any more.
    package var isClosed: Bool { ends.withLock { $0.state.isClosed } }

    /// Bytes that were written and not read.
    package var waitingBytes: Int { ends.withLock { $0.state.count } }

    /// Changes it, and tells the other end what that is to know.
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
            // Nothing is told any more, and who keeps the pipe is not to keep its ends with it.
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

/// All that is read from a pipe, for who needs it whole.
@EngineActor
final class CollectedBody {
    private var bytes: [UInt8] = []
    private let mostBytes: Int
    private var completion: ((Result<[UInt8], TransportError>) -> Void)?

    /// - Parameters:
    ///   - mostBytes: The rest is read, and dropped.
    ///   - completion: Is called once, maybe before this returns.
    init(
        of pipe: BodyPipe, keeping mostBytes: Int = .max,
        _ completion: @escaping @EngineActor (Result<[UInt8], TransportError>) -> Void
    ) {
        self.mostBytes = mostBytes
        self.completion = completion
        // The pipe keeps this, so this can't keep the pipe.
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
