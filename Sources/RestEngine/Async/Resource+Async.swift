extension Resource {
    /// Waits for up-to-date data by the shortest way: what is there, what is on its way, or a new load; see
    /// ``read(_:)``.
    ///
    /// A load belongs to everybody: cancelling the task ends the wait, and the load goes on. A task that is
    /// cancelled already loads nothing.
    ///
    /// - Throws: The ``RequestError`` of the load; of a cancelled task, one whose cause is
    ///   `request_cancelled`.
    public func get() async throws(RequestError) -> Entity {
        guard !Task.isCancelled else { throw cancellation }
        if let data = freshData { return data }
        let result = await EngineWait.answer { wait in
            read { wait.end($0) }
        } cancel: { [self] wait in
            wait.end(.failure(cancellation))
        }
        return try result.get()
    }

    /// What the resource or its caches have, whatever its age; nothing is sent (rule 44.5).
    ///
    /// - Throws: A ``RequestError`` with cause `offline` when there is nothing.
    public func getCached() async throws(RequestError) -> Entity {
        let result = await EngineWait.answer { wait in
            readCached { wait.end($0) }
        } cancel: { [self] wait in
            wait.end(.failure(cancellation))
        }
        return try result.get()
    }

    /// The same as a `Value`, which is decoded where the caller runs. See ``Entity/content(as:decoder:)``.
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
/// The first is ``ResourceEvent/observerAdded``, with the state that was there. A reader that falls behind
/// loses the oldest events beyond ``bufferSize``, never the newest: each comes with the whole state, so what
/// is lost are steps in between.
///
/// The sequence observes from the moment it is made, and so keeps the resource, until its task is cancelled
/// or it is dropped together with its iterators. It ends when somebody else removes the observer.
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
    /// What happens to the resource from now on; each call observes for itself (rules 13, 28.7).
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

/// What is known of a resource at one moment (rule 28.7).
public struct ResourceSnapshot: Sendable, ContentHolder {
    /// The last good data, as ``Resource/latestData``.
    public let latestData: Entity?
    /// The error of the last finished load, as ``Resource/latestError``.
    public let latestError: RequestError?
    /// Whether a load is in flight.
    public let isLoading: Bool
    /// Any request of the resource is in flight.
    public let isRequesting: Bool

    public var contentEntity: Entity? { latestData }
}

/// An event of a resource, and its state when it came.
public struct ResourceUpdate: Sendable {
    /// The event, as observers get it.
    public let event: ResourceEvent
    /// The state right after it.
    public let snapshot: ResourceSnapshot
}

extension Resource {
    /// Data, error and loading in one look, for code outside of the engine.
    public var snapshot: ResourceSnapshot {
        ResourceSnapshot(
            latestData: latestData, latestError: latestError, isLoading: isLoading, isRequesting: isRequesting
        )
    }
}
