import DequeModule
import Synchronization

/// A queue of events for one reader. If there are too many, or they are too large, the oldest are dropped,
/// and the next event that is taken contains their number (rule 46.5).
package struct EventQueue: Sendable {
    /// The number of events that can wait; see docs/reference/limits.md, L80.
    package static let limit = 1024
    /// The bytes of events that can wait (limit L313). The newest one may have more.
    package static let byteLimit = 4 << 20

    private struct Waiting {
        let event: EngineEvent
        let bytes: Int
    }

    private var waiting: Deque<Waiting> = []
    private var bytes = 0
    private var dropped = 0

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    package var count: Int { waiting.count }

    /// Bodies are not kept (46.6).
    package mutating func add(_ event: EngineEvent) {
        let event = event.withoutBodies
        let new = Waiting(event: event, bytes: event.heldBytes)
        waiting.append(new)
        bytes += new.bytes
        while waiting.count > Self.limit || bytes > Self.byteLimit && waiting.count > 1 {
            bytes -= waiting.removeFirst().bytes
            dropped += 1
        }
    }

    package mutating func next() -> EngineEvent? {
        guard let first = waiting.popFirst() else { return nil }
        bytes -= first.bytes
        var event = first.event
        event.dropped = dropped
        dropped = 0
        return event
    }
}

/// The events of an engine as an asynchronous sequence, for one reader.
///
/// A reader that falls behind loses the oldest events beyond 1,024; the next event that it gets contains
/// their number (``EngineEvent/dropped``). The messages of attempts have no bodies.
///
/// The sequence listens from its creation until its task is cancelled or it is released together with its
/// iterators.
public struct EngineEvents: AsyncSequence, Sendable {
    private let stream: AsyncStream<Void>
    private let queue: SharedQueue

    @EngineActor
    fileprivate init(_ engine: Engine, _ kinds: Set<EngineEvent.Kind>) {
        // One signal says that there are events, regardless of their number.
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = SharedQueue()
        self.stream = stream
        self.queue = queue
        let subscription = engine.onEvent(kinds) { event in
            queue.events.withLock { $0.add(event) }
            continuation.yield()
        }
        continuation.onTermination = { _ in EngineLoop.shared.submit { subscription.cancel() } }
    }

    fileprivate final class SharedQueue: Sendable {
        let events = Mutex(EventQueue())
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var calls: AsyncStream<Void>.Iterator
        fileprivate let queue: SharedQueue

        public mutating func next(isolation actor: isolated (any Actor)?) async -> EngineEvent? {
            while true {
                if let event = queue.events.withLock({ $0.next() }) { return event }
                guard await calls.next(isolation: actor) != nil else { return nil }
            }
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(calls: stream.makeAsyncIterator(), queue: queue)
    }
}

extension Engine {
    /// The events of this engine from now on, of all kinds or of some; each call adds a listener of its own.
    public func events(_ kinds: Set<EngineEvent.Kind> = Set(EngineEvent.Kind.allCases)) -> EngineEvents {
        EngineEvents(self, kinds)
    }
}
