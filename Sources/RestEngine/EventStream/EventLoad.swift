/// The work of a load when a stream keeps the resource up to date: it waits for the next event (rule 57.3).
@EngineActor
final class EventLoad: RequestWork {
    private let resource: Resource
    private var feed: EventFeed?
    private weak var request: Request?
    private var timer: EngineTimer?

    init(_ resource: Resource) { self.resource = resource }

    func start(_ request: Request) {
        let seconds = request.timeLeft(of: totalSeconds)
        if seconds < .infinity {
            timer = resource.engine.scheduler.after(seconds) { [weak self, weak request] in
                if let request { self?.timeOut(request, after: seconds) }
            }
        }
        request.onCompletion(first: true) { [weak self] _ in self?.timer?.cancel() }
        self.request = request
        let feed = resource.eventFeed()
        self.feed = feed
        feed.add(request)
    }

    private func timeOut(_ request: Request, after seconds: Double) {
        let error = TransportError(
            .timeout, phase: .total,
            message: "no event came within \(TransportError.inWords(seconds: seconds))")
        request.complete(
            ResponseInfo(
                .failure(
                    RequestError(
                        cause: .transport(error), timestamp: resource.engine.scheduler.now,
                        url: resource.urlString, method: "GET"))))
        feed?.remove(request)
    }

    func cancel(isRunning: Bool) {
        timer?.cancel()
        if let request { feed?.remove(request) }
    }

    var totalSeconds: Double { resource.configuration(for: "GET").timeouts.totalSeconds }

    func repeated() -> any RequestWork { EventLoad(resource) }
    func heldBytes(beside known: Entity?) -> Int { 256 }
    var fraction: Double { 0 }
    var lister: Resource? { resource }
    var target: (url: String, method: String)? { (resource.urlString, "GET") }
    var description: String { "the next event of \(resource.urlString)" }
}

extension Resource {
    /// Whether a stream of events keeps it up to date.
    var isStreamed: Bool { resolvedConfiguration(for: "GET").configuration.stream == .events }

    func eventFeed() -> EventFeed {
        if let feed { return feed }
        let new = EventFeed(self)
        feed = new
        return new
    }

    /// A load that ends with the next event.
    func loadEvent() -> Request { load(using: Request(engine: engine, work: EventLoad(self))) }

    /// How long its data stays up to date: without limit while a stream reports changes.
    ///
    /// - Parameter resolved: of GET.
    func expirationSeconds(by resolved: ResolvedConfiguration) -> Double {
        feed?.isLive == true ? .infinity : resolved.configuration.expirationSeconds
    }
}

/// The streams that are connected or connecting.
@EngineActor
struct EventFeeds {
    private struct Entry {
        weak var feed: EventFeed?
    }
    private var entries: [Entry] = []

    nonisolated init() {}

    var all: [EventFeed] { entries.compactMap(\.feed) }

    mutating func add(_ feed: EventFeed) {
        if !all.contains(identical: feed) { entries.append(Entry(feed: feed)) }
    }

    var isEmpty: Bool { entries.allSatisfy { $0.feed == nil } }

    /// False when it wasn't in the list.
    mutating func remove(_ feed: EventFeed) -> Bool {
        let isThere = all.contains(identical: feed)
        entries.removeAll { $0.feed == nil || $0.feed === feed }
        return isThere
    }
}

extension Engine {
    /// The number of resources whose streams are connected or connecting.
    package var openStreams: Int { feeds.all.count }

    /// Reconnects all streams at once, with the current configuration.
    package func reconnectStreams() {
        for feed in feeds.all { feed.reconnect() }
    }
}

/// The kinds of streams that the body of a response can be.
public enum ContentStream: String, Sendable, CaseIterable {
    /// Server-sent events, each of which becomes the content of the resource (rules 57).
    case events
    /// Clients of a gateway get the body as it arrives: it is not buffered, transformed or kept (rules 69).
    case body
}

extension EventStreamParser.Event {
    /// Whether the data is a whole JSON object or array, not text that begins like one.
    var isDocument: Bool {
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
        return (try? Tree(json: data)) != nil
    }
}
