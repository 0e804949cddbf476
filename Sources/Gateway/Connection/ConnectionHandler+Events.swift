import NIOCore
import RestEngine

/// A stream of the host's events on a connection.
struct HostEventStream {
    /// The number that ``HostEvents`` gave it.
    let id: Int
    /// The number of events that were dropped since the client stopped taking them.
    var dropped = 0
}

extension ConnectionHandler {
    /// If the gateway asks for no credentials, clients on this machine are operators, except those that come
    /// through a proxy on it.
    func isOperator(_ request: ClientRequest) -> Bool {
        if loop.isForAdmins || request.isOperator { return true }
        guard loop.rules.access.identities.isOpen, isOfThisMachine else { return false }
        return ["forwarded", "via", "x-forwarded-for", "x-real-ip"].allSatisfy { request.fields[$0] == nil }
    }

    /// Begins a stream of the host's events in place of an answer.
    func follow(_ query: String?, _ request: ClientRequest, _ context: ChannelHandlerContext) {
        let kinds: Set<String>
        do throws(Problem) {
            kinds = try HostEvents.kinds(
                RouteQuery(query, known: ["kinds"])["kinds"], isAdmin: loop.isForAdmins)
        } catch { return write(error.reply, request, context) }
        let connection = wait(request, seconds: loop.controlTimeout)
        let accessPolicy = request.accessPolicy ?? loop.rules.access.accessPolicy
        let (engine, number, mailbox) = (loop.engine, request.number, loop.mailbox)
        let follower = HostEvents.Follower(
            client: loop.isForAdmins ? nil : clientName(request), kinds: kinds, accessPolicy: accessPolicy,
            seesAll: loop.isForAdmins || accessPolicy.showsEverything,
            directory: loop.engine.directory
        ) { frame in mailbox.send { connection.value.receive(frame) } }
        EngineLoop.shared.submit {
            do throws(Problem) {
                let begun = try engine.events.add(
                    follower, engine: engine.directory.engine, control: engine.control, peers: engine.peers)
                mailbox.send { connection.value.begin(number, followingAs: begun.id, begun.opening) }
            } catch {
                let reply = error.reply
                mailbox.send { connection.value.finish(number, reply) }
            }
        }
    }

    private func begin(_ number: Int, followingAs id: Int, _ frames: [ByteBuffer]) {
        // A timeout has answered the request meanwhile, and the connection belongs to another one.
        guard let (request, context) = resume(number) else { return unfollow(id) }
        machine.stream()
        events = HostEventStream(id: id)
        loop.streams.add(self, LoopStreams.hostEvents)
        queue(streamHead(for: request), context)
        beginStream(request)
        send(frames, context)
        // The client reconnects, and then reaches the process that listens by that time.
        if isLeaving { close() }
    }

    private func receive(_ frame: ByteBuffer) {
        guard let context, let events else { return }
        guard events.dropped == 0, context.channel.isWritable else {
            self.events?.dropped += 1
            return
        }
        send([frame], context)
    }

    /// The client takes events again. It gets the number of those that it missed.
    func catchUpWithEvents() {
        guard let context, let events, events.dropped > 0, context.channel.isWritable else { return }
        self.events?.dropped = 0
        send([HostEvents.dropped(events.dropped)], context)
    }

    func endEvents() {
        guard let events else { return }
        self.events = nil
        loop.streams.remove(self, LoopStreams.hostEvents)
        unfollow(events.id)
    }

    private func unfollow(_ id: Int) {
        let engine = loop.engine
        EngineLoop.shared.submit { engine.events.remove(id, control: engine.control) }
    }
}
