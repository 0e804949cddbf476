import NIOCore
import RestEngine

extension ConnectionHandler {
    /// How a request is answered.
    private enum Decision {
        case hot(HotAnswer)
        case notModified(PublishedAnswer)
        case problem(Problem)
        case ask
    }

    /// Answers the requests that are complete, until one has to wait. The caller flushes.
    func answerRequests(_ context: ChannelHandlerContext) {
        loop.refreshAccess()
        // One reading of the clock for all requests that came together.
        let now = loop.clock()
        requests: while true {
            switch machine.next(sweep: loop.sweeps) {
            case .none: break requests
            case .fault(let fault): fail(Problem(fault))
            case .request(let head): answer(head, now: now, context)
            }
        }
        if machine.releaseRead() { context.read() }
    }

    private func answer(_ head: RequestHead, now: Double, _ context: ChannelHandlerContext) {
        switch machine.input.withUnsafeReadableBytes({ decide(head, $0, now: now, context) }) {
        case .hot(let answer): write(answer, head, now: now, context)
        case .notModified(let answer):
            writeContent(answer, .hit, take(head), isNotModified: true, context)
        case .problem(let problem): write(problem.reply, take(head), context)
        case .ask: ask(take(head), context)
        }
    }

    private func decide(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, now: Double, _ context: ChannelHandlerContext
    ) -> Decision {
        if machine.isGuest, !isLivenessCheck(head, bytes) { return .problem(.tooManyConnections) }
        if let host = head.host?.bytes(in: bytes), !isAccepted(host, context) {
            return .problem(.wrongHost(host, canBeListed: !loop.isForAdmins))
        }
        if let token = loop.access.token, !token.accepts(head.authorization?.bytes(in: bytes)) {
            return isLivenessCheck(head, bytes) ? .ask : .problem(.unauthorized)
        }
        if head.hasBody, loop.isForAdmins || head.method != .other, !isIgnorable(head) {
            let text =
                loop.isForAdmins
                ? "a body is at most \(Self.maxIgnoredBytes) bytes long here, and not chunked"
                : "a request for a resource has no body"
            return .problem(Problem(413, "body_not_allowed", text))
        }
        guard head.method != .other, let hot = loop.targets.find(head.target.bytes(in: bytes)),
            hot.allows(head.method)
        else { return .ask }
        guard let answer = hot.publication.answer(at: now) else {
            hot.forget()
            return .ask
        }
        if let list = head.ifNoneMatch, EntityTag.list(list.bytes(in: bytes), contains: answer.content.etag) {
            return .notModified(answer)
        }
        hot.render(answer, now: now, &loop.writer)
        return .hot(hot)
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

    /// Commands need no body, but some clients send one with every POST. Nobody reads it: the connection ends
    /// with the answer.
    private func isIgnorable(_ head: RequestHead) -> Bool {
        loop.isForAdmins && head.method == .other && head.transferEncodingCount == 0
            && (head.contentLength ?? 0) <= Self.maxIgnoredBytes
    }

    private func take(_ head: RequestHead) -> ClientRequest {
        let isAuthorized = machine.input.withUnsafeReadableBytes { bytes in
            loop.access.token?.accepts(head.authorization?.bytes(in: bytes)) ?? true
        }
        return machine.take(head, isAuthorized: isAuthorized, isLeaving: isLeaving, startedAt: startTime)
    }

    private func write(
        _ answer: HotAnswer, _ head: RequestHead, now: Double, _ context: ChannelHandlerContext
    ) {
        guard head.minorVersion == 1, !head.saysClose, !isLeaving, loop.access.accessLog == nil else {
            let request = take(head)
            guard let current = answer.publication.answer(at: now) else { return ask(request, context) }
            return writeContent(current, .hit, request, isNotModified: false, context)
        }
        needsFlush = true
        if head.method == .head {
            machine.skip(head, answeredWith: answer.head.readableBytes)
            context.write(wrapOutboundOut(answer.head), promise: nil)
        } else {
            machine.skip(
                head, answeredWith: answer.whole.readableBytes + (answer.body?.readableBytes ?? 0))
            context.write(wrapOutboundOut(answer.whole), promise: nil)
            if let body = answer.body { context.write(wrapOutboundOut(body), promise: nil) }
        }
    }
}
