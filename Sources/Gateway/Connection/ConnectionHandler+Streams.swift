import NIOCore
import RestEngine

/// A stream of events on a connection.
struct ClientStream {
    let live: LiveResource
    let feed: LiveResource.Feed
    let path: ResourcePath
    let wantsPatches: Bool
    /// Nil without a partition.
    let client: ObservingClient?
    /// Events were dropped because the client hadn't taken earlier ones. It gets the current state when it
    /// takes events again.
    var isBehind = false
    /// Hooks see the head before it goes out. Events that come meanwhile are dropped as for a client that is
    /// behind.
    var isHeld = false
}

/// The streams of one event loop, by the resources that they show.
struct LoopStreams {
    /// The number of the host's own events; resources have numbers from 1.
    static let hostEvents = 0

    private var connections: [Int: [ObjectIdentifier: ConnectionHandler]] = [:]

    mutating func add(_ connection: ConnectionHandler, _ id: Int) {
        connections[id, default: [:]][ObjectIdentifier(connection)] = connection
    }

    mutating func remove(_ connection: ConnectionHandler, _ id: Int) {
        connections[id]?[ObjectIdentifier(connection)] = nil
        if connections[id]?.isEmpty ?? false { connections[id] = nil }
    }

    func of(_ id: Int) -> some Collection<ConnectionHandler> { (connections[id] ?? [:]).values }

    var count: Int { connections.values.reduce(0) { $0 + $1.count } }

    var all: [ConnectionHandler] { connections.values.flatMap(\.values) }
}

extension ConnectionHandler {
    /// The bytes that are written to the connection have no end of their own.
    var isStreaming: Bool { stream != nil || events != nil }

    /// The connection carries events, those of a route included.
    var carriesEvents: Bool { isStreaming || proxied?.answer?.streamed.isEventStream ?? false }

    /// Begins a stream in place of an answer.
    func stream(_ path: ResourcePath, _ request: ClientRequest, _ context: ChannelHandlerContext) {
        // The stream's slot replaces that of a request, because it has no end.
        slot = loop.rules.access.streams.take(for: clientName(request))
        if slot == nil { return write(Problem.tooMany("streams").reply, request, context) }
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout
        let connection = wait(request, seconds: seconds)
        var path = path
        let parameters = (path.query ?? "").split(separator: "&")
        let wantsPatches = parameters.contains("patch=1")
        if wantsPatches {
            let others = parameters.filter { $0 != "patch=1" }
            path.query = others.isEmpty ? nil : others.joined(separator: "&")
        }
        let (feed, mailbox, number) = (loop.feed, loop.mailbox, request.number)
        let client = clientHeaders(request, in: path.partition).map(ObservingClient.init)
        let subscription = LiveResource.Subscription(
            feed: feed, wantsPatches: wantsPatches, lastEventID: request.fields.single("last-event-id"),
            client: client,
            begin: { [path, engine = loop.engine] live, frames in
                let labels = engine.labels(of: live.resource, live.resource.service, "GET")
                mailbox.send {
                    connection.value.begin(
                        number, live, path, wantsPatches: wantsPatches, client, frames, labels)
                }
            })
        let (engine, accessPolicy) = (loop.engine, request.accessPolicy ?? loop.rules.access.accessPolicy)
        EngineLoop.shared.submit { [path, origin = request.origin] in
            guard let problem = engine.subscribe(subscription, to: path, accessPolicy, origin) else { return }
            mailbox.send { connection.value.finish(number, problem.reply) }
        }
    }

    private func begin(
        _ number: Int, _ live: LiveResource, _ path: ResourcePath, wantsPatches: Bool,
        _ client: ObservingClient?, _ frames: [ByteBuffer], _ labels: Int
    ) {
        let feed = loop.feed
        guard let (waiting, context) = resume(number) else {
            // A timeout has answered the request meanwhile, and the connection belongs to another one.
            return EngineLoop.shared.submit { live.leave(feed, wantedPatches: wantsPatches, client) }
        }
        self.labels = labels
        var request = waiting
        request.service = path.service
        stream = ClientStream(
            live: live, feed: feed, path: path, wantsPatches: wantsPatches, client: client)
        loop.streams.add(self, live.id)
        guard let hooks = request.hooks, hooks.needsAfter else { return begin(request, frames, context) }
        stream?.isHeld = true
        _ = wait(request, seconds: loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout)
        runAfter(hooks, streamHead(for: request)) { connection, problem in
            connection.release(number, frames, problem)
        }
    }

    private func release(_ number: Int, _ frames: [ByteBuffer], _ problem: Problem?) {
        if let problem { return finish(number, problem.reply, labels) }
        guard let (request, context) = resume(number) else { return }
        stream?.isHeld = false
        begin(request, frames, context)
        catchUp()
    }

    private func begin(_ request: ClientRequest, _ frames: [ByteBuffer], _ context: ChannelHandlerContext) {
        machine.stream()
        let head = streamHead(for: request)
        queue(request.hooks?.apply(to: head) ?? head, context)
        beginStream(request)
        send(frames, context)
        // The client reconnects, and then reaches the process that listens by that time.
        if isLeaving { close() }
    }

    /// The head of either kind of stream. The stream's end is the end of its connection.
    func streamHead(for request: ClientRequest) -> ResponseHead {
        var head = head(200, for: request, at: loop.uptime())
        head.content = ContentFields(type: "text/event-stream", vary: "Accept")
        // Without this field nginx buffers the events.
        head.proxied = [("X-Accel-Buffering", "no")]
        head.freshness = .unstored
        head.framing.closes = true
        return head
    }

    /// Sends events of either kind of stream.
    func send(_ buffers: [ByteBuffer], _ context: ChannelHandlerContext) {
        for buffer in buffers {
            machine.wrote(buffer.readableBytes)
            begunStream?.sentBytes += buffer.readableBytes
            queue(buffer, context)
        }
        flush(context)
        streamedSweep = loop.sweeps
    }

    /// A client that doesn't take its events misses some. Missed events don't wait in memory.
    func receive(_ frame: EventFrame) {
        guard let context, let stream, !stream.isBehind else { return }
        guard context.channel.isWritable, !stream.isHeld else {
            self.stream?.isBehind = true
            return
        }
        send([stream.wantsPatches ? frame.patch ?? frame.plain : frame.plain], context)
    }

    /// The client takes events again.
    func catchUp() {
        catchUpWithEvents()
        guard let stream, stream.isBehind, !stream.isHeld, context?.channel.isWritable ?? false else {
            return
        }
        let (live, mailbox) = (stream.live, loop.mailbox)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        EngineLoop.shared.submit {
            live.state { frame in mailbox.send { connection.value.goOn(with: frame) } }
        }
    }

    private func goOn(with frame: ByteBuffer) {
        guard let context, stream?.isBehind ?? false else { return }
        stream?.isBehind = false
        send([frame], context)
    }

    func sendHeartbeat() {
        guard let context, context.channel.isWritable,
            loop.sweeps - streamedSweep >= loop.timeout.heartbeat
        else { return }
        if isStreaming, stream?.isBehind != true, stream?.isHeld != true {
            send([EventFrame.heartbeat], context)
        } else if let proxied, proxied.answer?.isBetweenEvents ?? false {
            send(Array(EventFrame.heartbeat.readableBytesView), of: proxied, context)
        }
    }

    func endStream() {
        endEvents()
        guard let stream else { return }
        self.stream = nil
        loop.streams.remove(self, stream.live.id)
        EngineLoop.shared.submit {
            stream.live.leave(stream.feed, wantedPatches: stream.wantsPatches, stream.client)
        }
    }

    /// Ends the stream if the changed rules don't allow it any more.
    func recheckStream() {
        // The client reconnects and is checked again.
        if events != nil { return close() }
        if stream != nil { renewIdentity() }
    }

    /// Ends the stream of a resource that its client may not read any more.
    func recheckPath(of client: GatewayLoop.Client) {
        guard let stream else { return }
        let (live, path, engine, mailbox) = (stream.live, stream.path, loop.engine, loop.mailbox)
        let (connection, accessPolicy) = (NIOLoopBound(self, eventLoop: loop.eventLoop), client.accessPolicy)
        EngineLoop.shared.submit {
            guard engine.shows(live.resource, at: path, accessPolicy) else {
                return mailbox.send { connection.value.close() }
            }
        }
    }
}
