import NIOCore
import RestEngine

/// The events of the host on a connection.
struct HostEventStream {
    /// See ``HostEvents``.
    let id: Int
    /// Left out since the client stopped taking them.
    var dropped = 0
}

extension ConnectionHandler {
    /// Where nobody has to say who they are, it is whoever sits at this machine, but not one who comes
    /// through a proxy on it.
    func isOperator(_ request: ClientRequest, _ context: ChannelHandlerContext) -> Bool {
        if loop.isForAdmins || request.isOperator { return true }
        guard loop.rules.access.isOpen, context.channel.remoteAddress?.isOfThisMachine ?? true else {
            return false
        }
        return ["forwarded", "via", "x-forwarded-for", "x-real-ip"].allSatisfy { request.fields[$0] == nil }
    }

    /// Begins a stream of events instead of an answer.
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
            client: loop.isForAdmins ? nil : clientName(context), kinds: kinds, accessPolicy: accessPolicy,
            seesAll: loop.isForAdmins || accessPolicy.showsEverything,
            directory: loop.engine.directory
        ) { frame in mailbox.send { connection.value.receive(frame) } }
        EngineLoop.shared.submit {
            do throws(Problem) {
                let begun = try engine.events.add(
                    follower, engine: engine.directory.engine, log: engine.control?.log)
                mailbox.send { connection.value.begin(number, followingAs: begun.id, begun.opening) }
            } catch {
                let reply = error.reply
                mailbox.send { connection.value.finish(number, reply) }
            }
        }
    }

    private func begin(_ number: Int, followingAs id: Int, _ frames: [ByteBuffer]) {
        // It was answered by a limit of time, and the connection is another request's.
        guard let (request, context) = resume(number) else { return unfollow(id) }
        machine.stream()
        events = HostEventStream(id: id)
        loop.streams.add(self, LoopStreams.hostEvents)
        queue(streamHead(for: request), context)
        send(frames, context)
        logAccess(request, status: 200, .answered, bytes: 0, context)
        // Its client comes back to who listens then.
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

    /// It takes them again; how many it missed is told.
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
        EngineLoop.shared.submit { engine.events.remove(id, log: engine.control?.log) }
    }
}
