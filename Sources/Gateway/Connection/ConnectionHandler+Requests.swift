import NIOCore
import RestEngine

extension ConnectionHandler {
    /// What is to be done about the bytes at hand.
    private enum Decision {
        case needMore
        case fault(RequestFault)
        case hot(HotAnswer, RequestHead)
        case notModified(PublishedAnswer, RequestHead)
        case problem(Problem, RequestHead)
        case ask(RequestHead)
    }

    /// Answers the requests that are complete, until one has to wait. The caller flushes.
    func answerRequests(_ context: ChannelHandlerContext) {
        loop.refreshAccess()
        // One reading of the clock for all requests that came together.
        let now = loop.clock()
        while phase == .reading, input.readableBytes > 0, isWritable {
            let decision = input.withUnsafeReadableBytes { decide($0, now: now, context) }
            switch decision {
            case .needMore:
                if headTick == nil { headTick = loop.tick }
                return resumeReading(context)
            case .fault(let fault): fail(Problem(fault))
            case .hot(let answer, let head): write(answer, head, now: now, context)
            case .notModified(let answer, let head):
                let exchange = take(head, now: now)
                writeContent(answer, .hit, exchange, isNotModified: true, context)
            case .problem(let problem, let head): write(problem.reply, take(head, now: now), context)
            case .ask(let head): ask(take(head, now: now), context)
            }
        }
        if input.readableBytes == 0 { input = ByteBuffer() }
        resumeReading(context)
    }

    private func decide(_ bytes: UnsafeRawBufferPointer, now: Double, _ context: ChannelHandlerContext)
        -> Decision
    {
        let head: RequestHead
        switch parser.next(bytes) {
        case .needMore: return .needMore
        case .fault(let fault): return .fault(fault)
        case .head(let complete): head = complete
        }
        headTick = nil
        if isGuest, !isLivenessCheck(head, bytes) { return .problem(.tooManyConnections, head) }
        if let host = head.host?.bytes(in: bytes), !isAccepted(host, context) {
            return .problem(
                Problem(421, "wrong_host", "this gateway does not answer to the name and port in Host"), head)
        }
        if let token = loop.access.token, !token.accepts(head.authorization?.bytes(in: bytes)) {
            return isLivenessCheck(head, bytes) ? .ask(head) : .problem(.unauthorized, head)
        }
        if head.hasBody, loop.isForAdmins || head.method != .other, !isIgnorable(head) {
            let text =
                loop.isForAdmins
                ? "a body is at most \(Self.maxIgnoredBytes) bytes long here, and not chunked"
                : "a request for a resource has no body"
            return .problem(Problem(413, "body_not_allowed", text), head)
        }
        guard head.method != .other, let hot = loop.targets.find(head.target.bytes(in: bytes)),
            hot.allows(head.method)
        else { return .ask(head) }
        guard let answer = hot.publication.answer(at: now) else {
            hot.forget()
            return .ask(head)
        }
        if let list = head.ifNoneMatch, EntityTag.list(list.bytes(in: bytes), contains: answer.content.etag) {
            return .notModified(answer, head)
        }
        hot.render(answer, now: now, &loop.writer)
        return .hot(hot, head)
    }

    private func isAccepted(_ host: UnsafeRawBufferPointer, _ context: ChannelHandlerContext) -> Bool {
        if acceptedVersion == loop.access.version, !host.isEmpty,
            acceptedHost.withUnsafeBytes({ $0.elementsEqual(host) })
        {
            return true
        }
        var names = loop.access.hostNames
        if let address = context.localAddress?.ipAddress {
            names.insert(address.contains(":") ? "[\(address)]" : address)
        }
        guard names.accept(host) else { return false }
        acceptedHost = Array(host)
        acceptedVersion = loop.access.version
        return true
    }

    /// Who has no token may still learn whether the gateway is alive.
    private func isLivenessCheck(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let target = head.target.bytes(in: bytes)
        return head.method != .other && !head.hasBody
            && (target.isExactly("/-/health") || target.isExactly("/-/ready"))
    }

    private static let maxIgnoredBytes = 64 << 10

    /// Commands need no body, but some clients send one with every POST. Nobody reads it: the connection ends with the
    /// answer.
    private func isIgnorable(_ head: RequestHead) -> Bool {
        loop.isForAdmins && head.method == .other && head.transferEncodingCount == 0
            && (head.contentLength ?? 0) <= Self.maxIgnoredBytes
    }

    /// Moves past the head and keeps what its answer needs.
    private func take(_ head: RequestHead, now: Double) -> Exchange {
        let (method, target, ifNoneMatch, isAuthorized) = input.withUnsafeReadableBytes { bytes in
            (
                String(decoding: head.methodRange.bytes(in: bytes), as: UTF8.self),
                Array(head.target.bytes(in: bytes)),
                head.ifNoneMatch.map { Array($0.bytes(in: bytes)) },
                loop.access.token?.accepts(head.authorization?.bytes(in: bytes)) ?? true
            )
        }
        input.moveReaderIndex(forwardBy: head.length)
        exchangeCount += 1
        return Exchange(
            number: exchangeCount, method: method, target: target, isHead: head.method == .head,
            isAuthorized: isAuthorized, hasUnreadBytes: head.hasBody, framing: framing(for: head),
            ifNoneMatch: ifNoneMatch, startedAt: now)
    }

    /// A body that nobody reads would be taken for the next request, so the connection ends with it.
    private func framing(for head: RequestHead) -> AnswerWriter.Framing {
        let closes = !head.isPersistent || head.hasBody || isLeaving || isGuest
        return AnswerWriter.Framing(closes: closes, saysKeepAlive: !closes && head.minorVersion == 0)
    }

    private func write(
        _ answer: HotAnswer, _ head: RequestHead, now: Double, _ context: ChannelHandlerContext
    ) {
        guard head.minorVersion == 1, !head.saysClose, !isLeaving, loop.accessLog == nil else {
            let exchange = take(head, now: now)
            guard let current = answer.publication.answer(at: now) else { return ask(exchange, context) }
            return writeContent(current, .hit, exchange, isNotModified: false, context)
        }
        input.moveReaderIndex(forwardBy: head.length)
        needsFlush = true
        if head.method == .head {
            writtenBytes += answer.head.readableBytes
            context.write(wrapOutboundOut(answer.head), promise: nil)
        } else {
            writtenBytes += answer.whole.readableBytes + (answer.body?.readableBytes ?? 0)
            context.write(wrapOutboundOut(answer.whole), promise: nil)
            if let body = answer.body { context.write(wrapOutboundOut(body), promise: nil) }
        }
    }
}
