extension Resource {
    /// Waits for up-to-date data by the shortest way: the data that the resource has, a load in flight, or a
    /// new load; see ``read(_:)``.
    ///
    /// All users of the resource share a load: cancelling the task ends the wait, and the load goes on. A
    /// task that is already cancelled starts no load.
    ///
    /// - Throws: The ``RequestError`` of the load; of a cancelled task, one whose cause is
    ///   `request_cancelled`.
    public func get() async throws(RequestError) -> Entity {
        guard !Task.isCancelled else { throw cancellation }
        if WorkScope.current.computation == nil, let data = freshData { return data }
        let result = await EngineWait.answer { wait in
            read { wait.end($0) }
        } cancel: { [self] wait in
            wait.end(.failure(cancellation))
        }
        return try result.get()
    }

    /// Returns the data that the resource or its caches have, of any age; no request is sent (rule 44.5).
    ///
    /// - Throws: A ``RequestError`` with cause `offline` when there is no data.
    public func getCached() async throws(RequestError) -> Entity {
        let result = await EngineWait.answer { wait in
            readCached { wait.end($0) }
        } cancel: { [self] wait in
            wait.end(.failure(cancellation))
        }
        return try result.get()
    }

    /// Waits for up-to-date data as a `Value`, which is decoded where the caller runs. See
    /// ``Entity/content(as:decoder:)``.
    ///
    /// - Throws: As ``get()``, or a ``RequestError`` for content that is no `Value`.
    public nonisolated func get<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) async throws(RequestError) -> Value {
        let entity = try await get()
        do throws(RequestError) { return try entity.content(as: type, decoder: decoder) } catch {
            throw error.of(url: urlString, method: "GET")
        }
    }

    private var cancellation: RequestError {
        RequestError(
            cause: .requestCancelled, timestamp: engine.scheduler.now, url: urlString, method: "GET")
    }
}

/// The events of a resource as an asynchronous sequence, for one reader.
///
/// The first event is ``ResourceEvent/observerAdded``, with the state at that moment. A reader that falls
/// behind loses the oldest events beyond ``bufferSize``, never the newest. Each event carries the whole
/// state, so only intermediate steps are lost.
///
/// The sequence observes, and so keeps the resource alive, from its creation until its task is cancelled or
/// it is released together with its iterators. It ends when other code removes the observer.
public struct ResourceEvents: AsyncSequence, Sendable {
    /// The number of events that are kept for the reader.
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

    /// One reader of the stream.
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
    /// The events of the resource from now on; each call adds an observer of its own (rules 13, 28.7).
    public func events() -> ResourceEvents { ResourceEvents(self) }
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

/// The state of a resource at one moment (rule 28.7).
public struct ResourceSnapshot: Sendable, ContentHolder {
    /// The last good data, as ``Resource/latestData``.
    public let latestData: Entity?
    /// The error of the last finished load, as ``Resource/latestError``.
    public let latestError: RequestError?
    /// Whether a load is in flight.
    public let isLoading: Bool
    /// Whether any request of the resource is in flight.
    public let isRequesting: Bool

    public var contentEntity: Entity? { latestData }
}

/// An event of a resource, with the state at that moment.
public struct ResourceUpdate: Sendable {
    /// The event, as observers get it.
    public let event: ResourceEvent
    /// The state right after it.
    public let snapshot: ResourceSnapshot
}

extension Resource {
    /// Data, error and loading state, read together, for code outside of the engine.
    public var snapshot: ResourceSnapshot {
        ResourceSnapshot(
            latestData: latestData, latestError: latestError, isLoading: isLoading, isRequesting: isRequesting
        )
    }
}
