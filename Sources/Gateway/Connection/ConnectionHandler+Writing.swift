import NIOCore

extension ConnectionHandler {
    /// It is one stream of HTTP/2.
    var isHTTP2Stream: Bool { secure?.isStream ?? false }

    /// The fields that the heads of all answers to a request have.
    ///
    /// - Parameter now: The loop's uptime.
    func head(_ status: Int, for request: ClientRequest, at now: Double) -> ResponseHead {
        var head = ResponseHead(status: status, date: loop.date.value(at: now))
        head.framing = request.framing
        // The gateway, or its listener, may have begun to stop since the request came.
        if isLeaving { head.framing.closes = true }
        // What was no request came from no page.
        if !loop.isForAdmins, request.number > 0 {
            head.cors = loop.rules.access.origins.fields(for: request.origin)
        }
        return head
    }

    /// Hands over the head of an answer whose body comes behind it. A stream takes it as it is.
    func queue(_ head: ResponseHead, _ context: ChannelHandlerContext) {
        guard !isHTTP2Stream else {
            needsFlush = true
            return context.triggerUserOutboundEvent(head, promise: nil)
        }
        let lines = head.lines()
        machine.wrote(lines.readableBytes)
        queue(lines, context)
    }

    /// Hands over bytes that go out with the next flush, behind all that was handed over before.
    func queue(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>? = nil, _ context: ChannelHandlerContext)
    {
        mayHaveQueue = true
        needsFlush = true
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    /// Sends an answer at once where none waits before it and no request behind it, whose answer then goes
    /// out in one call with it. What the client doesn't take is queued.
    func sendOrQueue(_ answer: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let socket, !needsFlush, machine.input.readableBytes == 0, !hasQueue else {
            return queue(answer, context)
        }
        let sent = socket.send(answer)
        guard sent < answer.readableBytes else { return }
        var rest = answer
        rest.moveReaderIndex(forwardBy: sent)
        queue(rest, context)
    }

    /// Asking the network library takes longer than sending, so it is asked only when something was queued.
    private var hasQueue: Bool {
        guard mayHaveQueue else { return false }
        mayHaveQueue = unsentBytes > 0
        return mayHaveQueue
    }

    func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    /// What the client has not taken yet of that which was handed over.
    var unsentBytes: Int {
        // A stream knows no such option, and nothing is lost: what it has not sent waits in the writer.
        if let secure, secure.isStream { return secure.writer.waitingBytes }
        let bytes = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return bytes + ((secure?.writer ?? pacedWriter)?.waitingBytes ?? 0)
    }

    /// Sees to it that what is so large goes out in turns. Before it is queued.
    func pace(_ body: ByteBuffer, _ context: ChannelHandlerContext) {
        guard body.readableBytes > PacedWriter.largestPlain, secure == nil, pacedWriter == nil else { return }
        let writer = PacedWriter()
        let isAdded: Void? = try? context.pipeline.syncOperations.addHandler(writer, position: .before(self))
        if isAdded != nil { pacedWriter = writer }
    }
}
