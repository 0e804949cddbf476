import NIOCore
import RestEngine

/// One resource with the streams that show it. It observes the resource while there are streams (rules 53),
/// and makes each event once for all of them.
@EngineActor
final class LiveResource: ResourceObserver {
    /// The receiver of events for the streams of one event loop.
    struct Feed: Sendable {
        let loop: ObjectIdentifier
        let deliver: @Sendable (Int, EventFrame) -> Void
    }

    /// A client that wants a stream.
    struct Subscription: Sendable {
        let feed: Feed
        let wantsPatches: Bool
        let lastEventID: String?
        /// Nil without a partition.
        let client: ObservingClient?
        let begin: @EngineActor (_ live: LiveResource, _ frames: [ByteBuffer]) -> Void
    }

    private enum Work {
        case event(ResourceEvent)
        case subscribe(Subscription)
        case state(@EngineActor (ByteBuffer) -> Void)
    }

    /// The number of events that are kept for interrupted streams.
    private static let mostRecent = 64
    private static let mostRecentBytes = 256 << 10

    nonisolated let id: Int
    let resource: Resource
    private let path: ResourcePath
    /// Marks the numbers of this object's events. Numbers of an earlier object are invalid here.
    private let epoch: String
    private var number = 0
    private var recent: [EventFrame] = []
    private var recentBytes = 0
    private var feeds: [ObjectIdentifier: (feed: Feed, streams: Int)] = [:]
    private var patchedStreams = 0
    /// The content that streams with patches have.
    private var patched: Tree?
    private var queue: [Work] = []
    private var isRunning = false
    /// Large content is being encoded on another thread. Events keep their order meanwhile.
    private var isWaiting = false
    private var hasBegun = false
    private let end: @EngineActor (LiveResource) -> Void

    /// - Parameter end: Called when the last stream has gone.
    init(
        _ id: Int, _ resource: Resource, _ path: ResourcePath,
        end: @escaping @EngineActor (LiveResource) -> Void
    ) {
        self.id = id
        self.resource = resource
        self.path = path
        self.end = end
        epoch = String(UInt32.random(in: .min ... .max), radix: 36)
        resource.addObserver(self)
    }

    // MARK: Streams

    func subscribe(_ subscription: Subscription) { add(.subscribe(subscription)) }

    /// The current state, for a stream that dropped events.
    func state(_ completion: @escaping @EngineActor (ByteBuffer) -> Void) { add(.state(completion)) }

    /// A stream of this event loop has gone.
    func leave(_ feed: Feed, wantedPatches: Bool, _ client: ObservingClient?) {
        if let client { resource.remove(client) }
        guard var known = feeds[feed.loop] else { return }
        known.streams -= 1
        feeds[feed.loop] = known.streams == 0 ? nil : known
        if wantedPatches {
            patchedStreams -= 1
            if patchedStreams == 0 { patched = nil }
        }
        endIfUnused()
    }

    /// Ends if there are no streams. A client may still be about to get one while large content is encoded.
    private func endIfUnused() {
        guard hasBegun, feeds.isEmpty, queue.isEmpty, !isWaiting else { return }
        hasBegun = false
        resource.removeObservers(ownedBy: self)
        end(self)
    }

    func changed(_ resource: Resource, _ event: ResourceEvent) {
        if event != .observerAdded { add(.event(event)) }
    }

    // MARK: Order

    private func add(_ work: Work) {
        queue.append(work)
        run()
    }

    private func run() {
        guard !isRunning else { return }
        isRunning = true
        while !isWaiting, !queue.isEmpty { perform(queue.removeFirst()) }
        isRunning = false
        endIfUnused()
    }

    private func perform(_ work: Work) {
        switch work {
        case .event(.newData(let source)): withState { self.send(newDataFrom: source, $0) }
        // EventSource has an `error` of its own, for a lost connection.
        case .event(.error): send("failed", LiveState(resource: resource, path: path, content: nil).failure)
        case .event(let event):
            send(event.name, LiveState(resource: resource, path: path, content: nil).rest)
        case .state(let completion): withState { completion(self.frame($0)) }
        case .subscribe(let subscription):
            if let missed = missed(since: subscription.lastEventID) {
                return begin(
                    subscription, missed.map { subscription.wantsPatches ? $0.patch ?? $0.plain : $0.plain })
            }
            withState { self.begin(subscription, [self.frame($0)]) }
        }
    }

    private func withState(_ body: @escaping @EngineActor (LiveState) -> Void) {
        isWaiting = true
        let value = resource.latestData?.content
        resource.encodeLatest { [self] made in
            isWaiting = false
            var content: EncodedContent?
            // Content that can't be encoded is an error for a reader. A stream goes on without it.
            if case .success(let answer)? = made { content = answer.content }
            body(LiveState(resource: resource, path: path, content: content, value: value))
            run()
        }
    }

    private func begin(_ subscription: Subscription, _ frames: [ByteBuffer]) {
        hasBegun = true
        if let client = subscription.client { resource.add(client) }
        feeds[subscription.feed.loop, default: (subscription.feed, 0)].streams += 1
        if subscription.wantsPatches {
            patchedStreams += 1
            if patched == nil { patched = tree }
        }
        subscription.begin(self, [EventFrame.opening] + frames)
        resource.loadIfNeeded()
    }

    // MARK: Events

    private var eventID: String { "\(epoch)-\(number)" }

    private func frame(_ state: LiveState) -> ByteBuffer {
        EventFrame.text("state", id: eventID, data: state.whole)
    }

    /// The events after this one; nil if they are no longer kept.
    private func missed(since id: String?) -> [EventFrame]? {
        guard let parts = id?.split(separator: "-"), parts.count == 2, parts[0] == epoch,
            let last = Int(parts[1]), last <= number, last >= (recent.first?.number ?? number + 1) - 1
        else { return nil }
        return recent.filter { $0.number > last }
    }

    private var tree: Tree? {
        switch resource.latestData?.content {
        case .json(let tree), .value(let tree): tree
        default: nil
        }
    }

    private func send(newDataFrom source: ResourceEvent.Source, _ state: LiveState) {
        let name =
            switch source {
            case .network: "network"
            case .cache: "cache"
            case .localOverride: "local_override"
            case .wipe: "wipe"
            }
        var patch: [UInt8]?
        if patchedStreams > 0 {
            let new = tree
            if let patched, let new { patch = JSONPatch.between(patched, new) }
            patched = new
        }
        if let made = patch, made.count >= state.content?.body.count ?? 0 { patch = nil }
        send("new_data", state.newData(from: name), patch: patch)
    }

    private func send(_ event: String, _ data: [UInt8], patch: [UInt8]? = nil) {
        number += 1
        var frame = EventFrame(number: number, plain: EventFrame.text(event, id: eventID, data: data))
        if let patch { frame.patch = EventFrame.text("patch", id: eventID, data: patch) }
        recent.append(frame)
        recentBytes += frame.plain.readableBytes
        while recent.count > Self.mostRecent || recentBytes > Self.mostRecentBytes, !recent.isEmpty {
            recentBytes -= recent.removeFirst().plain.readableBytes
        }
        for known in feeds.values { known.feed.deliver(id, frame) }
    }
}

/// The resources that streams show.
@EngineActor
final class LiveResources {
    private var known: [ObjectIdentifier: LiveResource] = [:]
    private var count = 0

    nonisolated init() {}

    /// There is one object for each resource.
    func live(_ resource: Resource, at path: ResourcePath) -> LiveResource {
        if let live = known[ObjectIdentifier(resource)] { return live }
        count += 1
        let live = LiveResource(count, resource, path) { [weak self] live in
            self?.known[ObjectIdentifier(live.resource)] = nil
        }
        known[ObjectIdentifier(resource)] = live
        return live
    }

    var total: Int { known.count }
}
