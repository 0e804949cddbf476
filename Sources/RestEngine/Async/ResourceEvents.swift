/// The events of a resource as an asynchronous sequence, for one reader.
///
/// The first is ``ResourceEvent/observerAdded``, with the state that was there. A reader that falls behind loses the
/// oldest events beyond ``bufferSize``, never the newest: each comes with the whole state, so what is lost are steps
/// in between.
///
/// The sequence observes from the moment it is made, and so keeps the resource, until its task is cancelled or it is
/// dropped together with its iterators. It ends when somebody else removes the observer.
public struct ResourceEvents: AsyncSequence, Sendable {
    /// So many events wait for the reader.
    public static let bufferSize = 64

    private let stream: AsyncStream<ResourceUpdate>

    @EngineActor
    init(_ resource: Resource) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ResourceUpdate.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
        self.stream = stream
        let owner = Owner()
        continuation.onTermination = { _ in
            EngineLoop.shared.submit { resource.removeObservers(ownedBy: owner) }
        }
        resource.addObserver(EventForwarder(continuation), owner: owner)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<ResourceUpdate>.Iterator

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ResourceUpdate? {
            await base.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    private final class Owner: Sendable {}
}

extension Resource {
    /// What happens to the resource from now on; each call observes for itself (rules 13, 28.7).
    public var events: ResourceEvents { ResourceEvents(self) }
}

/// The observer behind a sequence.
@EngineActor
private final class EventForwarder: ResourceObserver {
    private let continuation: AsyncStream<ResourceUpdate>.Continuation

    init(_ continuation: AsyncStream<ResourceUpdate>.Continuation) { self.continuation = continuation }

    func changed(_ resource: Resource, _ event: ResourceEvent) {
        continuation.yield(ResourceUpdate(event: event, snapshot: resource.snapshot))
    }

    func stoppedObserving(_ resource: Resource) { continuation.finish() }
}
