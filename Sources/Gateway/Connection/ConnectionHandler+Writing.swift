import NIOCore

extension ConnectionHandler {
    /// The connection is one stream of HTTP/2.
    var isHTTP2Stream: Bool { secure?.isStream ?? false }

    /// The head of an answer to a request, with the fields that all answers have.
    ///
    /// - Parameter now: The loop's uptime.
    func head(_ status: Int, for request: ClientRequest, at now: Double) -> ResponseHead {
        var framing = request.framing
        // The gateway or its listener may have begun to stop since the request came.
        if isLeaving { framing.closes = true }
        // Bytes that were no request didn't come from a page.
        let isOfPage = !loop.isForAdmins && request.number > 0
        return ResponseHead(
            status: status, date: loop.date.value(at: now), requestID: request.id,
            cors: isOfPage ? loop.rules.access.origins.fields(for: request.pageOrigin) : [], framing: framing)
    }

    /// Hands over the head of an answer whose body follows. An HTTP/2 stream takes the value itself.
    func queue(_ head: ResponseHead, _ context: ChannelHandlerContext) {
        guard !isHTTP2Stream else {
            needsFlush = true
            return context.triggerUserOutboundEvent(head, promise: nil)
        }
        let lines = head.lines()
        machine.wrote(lines.readableBytes)
        queue(lines, context)
    }

    /// Hands over bytes that go out with the next flush, behind all earlier ones.
    func queue(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>? = nil, _ context: ChannelHandlerContext)
    {
        mayHaveQueue = true
        needsFlush = true
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    /// Sends an answer at once if no answer waits before it and no request behind it. Otherwise several
    /// answers go out in one call. Bytes that the client doesn't take are queued.
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

    /// Asking the network library takes longer than sending, so it is only asked after bytes were queued.
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

    /// The bytes that were handed over and that the client hasn't taken yet.
    var unsentBytes: Int {
        // A stream has no such option. Its unsent bytes wait in the writer.
        if let secure, secure.isStream { return secure.writer.waitingBytes }
        let bytes = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return bytes + ((secure?.writer ?? pacedWriter)?.waitingBytes ?? 0)
    }

    /// Makes a large body go out in pieces. Called before the body is queued.
    func pace(_ body: ByteBuffer, _ context: ChannelHandlerContext) {
        guard body.readableBytes > PacedWriter.largestPlain, secure == nil, pacedWriter == nil else { return }
        let writer = PacedWriter()
        let isAdded: Void? = try? context.pipeline.syncOperations.addHandler(writer, position: .before(self))
        if isAdded != nil { pacedWriter = writer }
    }
}
