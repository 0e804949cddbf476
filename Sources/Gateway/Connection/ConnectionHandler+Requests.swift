import NIOCore
import RestEngine

extension ConnectionHandler {
    /// The way in which a request is answered.
    private enum Decision {
        case hot(HotAnswer, PrerenderedResponse)
        /// The content is in memory, and the client sent conditions that are looked at for each request.
        case content(PublishedAnswer, ForwardedHeaders, Int)
        case problem(Problem)
        case reply(Reply)
        case ask
        /// The client's credentials are checked first, and the request is decided again.
        case identify(CredentialCheck, ShownCredentials)
    }

    /// Answers the complete requests until one has to wait. The caller flushes.
    func answerRequests(_ context: ChannelHandlerContext) {
        loop.refreshRules()
        // The clock is read once for all requests that arrived together.
        let now = loop.uptime()
        loop.batchStart = now
        requests: while true {
            switch machine.next(sweep: loop.sweeps) {
            case .none: break requests
            case .fault(let fault): fail(Problem(fault))
            case .request(let head): answer(head, now: now, context)
            case .part(let part): if !keepBody(part) { fail(.tooManyBodies) }
            case .complete(let request):
                let whole = body
                body = []
                pass(request, whole, context)
            case .grown(let part): passGrownBody(part, context)
            case .streamed(let part): pass(part)
            case .streamedEnd: proxied?.upload?.finish()
            }
        }
        if machine.releaseRead() { context.read() }
    }

    private func answer(_ head: RequestHead, now: Double, _ context: ChannelHandlerContext) {
        switch machine.input.withUnsafeReadableBytes({ decide(head, $0, now: now, context) }) {
        case .hot(let answer, let form): write(answer, form, head, now: now, context)
        case .content(let answer, let proxied, let labels):
            let request = take(head)
            let conditions = request.conditions
            guard !conditions.wantsEvents, conditions.directives.accepts(answer, at: now) else {
                return ask(request, context)
            }
            self.labels = labels
            writeContent(answer, .hit(.memory), proxied, conditions, request, context)
        case .problem(let problem): write(problem.reply, take(head), context)
        case .reply(let reply): write(reply, take(head), context)
        case .ask: ask(take(head), context)
        case .identify(let check, let shown): wait(for: check, of: shown, head)
        }
    }

    /// The answer to the head of an HTTP/2 stream, if it is one piece from memory and the request needs
    /// neither a rate limit nor a record.
    func prerendered(
        for head: RequestHead, _ bytes: UnsafeRawBufferPointer, _ context: ChannelHandlerContext
    ) -> (HotAnswer, PrerenderedResponse)? {
        loop.refreshRules()
        let access = loop.rules.access
        let now = loop.uptime()
        guard head.method == .get, access.rates == nil, !access.recordsRequests, !isLeaving,
            case .hot(let answer, let form) = decide(head, bytes, now: now, context), form.body == nil
        else { return nil }
        loop.batchStart = now
        machine.answerStream(sweep: loop.sweeps)
        return (answer, form)
    }

    private func decide(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, now: Double, _ context: ChannelHandlerContext
    ) -> Decision {
        if machine.isSurplus, !isLivenessCheck(head, bytes) { return .problem(.tooManyConnections) }
        let rules = loop.rules
        let isKnown = known?.says(head, bytes, under: rules, now: now) ?? false
        if !isKnown, let host = head.host?.bytes(in: bytes), !isAccepted(host, context) {
            return .problem(.wrongHost(host, loop.audience))
        }
        if head.notable.contains(.origin), head.method == .other, !loop.isForAdmins,
            let decision = decideForPage(head, bytes)
        {
            return decision
        }
        if !isKnown {
            switch identify(head, bytes) {
            case .known(let client): known = client
            case .refused(let problem):
                known = nil
                return isLivenessCheck(head, bytes) || isPage(head, bytes) ? .ask : .problem(problem)
            case .pending(let check, let shown): return .identify(check, shown)
            }
        }
        guard let known else { return .ask }
        if let rates = rules.access.rates, !isLivenessCheck(head, bytes) {
            if let wait = rates.wait(clientName(head, bytes), now: loop.uptime()) {
                return .problem(.tooOften(wait))
            }
        }
        if !rules.access.forwarded.isEmpty, head.method != .other, hasForwarded(head, bytes) { return .ask }
        if head.hasBody, loop.isForAdmins || head.method != .other, !isIgnorable(head) {
            let method = head.method == .head ? "HEAD" : "GET"
            if !loop.isForAdmins,
                case .otherMethods(let methods) = loop.rules.access.routes.match(
                    method, Array(head.target.bytes(in: bytes)))
            {
                return .problem(.methodNotAllowed(method, methods))
            }
            let text =
                loop.isForAdmins
                ? "a body is at most \(Self.maxIgnoredBytes) bytes long here, and not chunked"
                : "a request that reads a resource has no body"
            return .problem(Problem(413, "body_not_allowed", text))
        }
        if let length = head.contentLength, length > rules.access.limits.longestBody {
            return .problem(Problem(RequestFault.bodyTooLarge))
        }
        if rules.access.eventCredentials?.apply(to: head, bytes) == true { return .ask }
        guard head.method != .other, let hot = loop.targets.find(head.target.bytes(in: bytes)),
            hot.allows(head.method), hot.accessPolicy === known.client.accessPolicy
        else { return .ask }
        guard let answer = hot.answerSnapshot.answer(at: now) else {
            hot.forget()
            return .ask
        }
        guard chosenID(head, bytes, known.client) == nil, let form = form(of: hot, head, bytes) else {
            return .content(answer, hot.forwarded, hot.labels)
        }
        form.render(answer, hot.forwarded, now: now, &loop.date, loop.rules.access.origins)
        return form.isContent ? .hot(hot, form) : .content(answer, hot.forwarded, hot.labels)
    }

    /// Nil if the client's conditions are too rare to be kept.
    @inline(__always)
    private func form(of hot: HotAnswer, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer)
        -> PrerenderedResponse?
    {
        if head.isPlain { return hot.form(for: nil) }
        guard head.hasKnowableConditions else { return nil }
        var form = hot.form(for: nil)
        if head.hasAcceptFields {
            guard let conditions = loop.conditions.find(head, bytes, last: conditions) else { return nil }
            self.conditions = conditions
            form = hot.form(for: conditions)
        }
        guard let tags = head.ifNoneMatch?.bytes(in: bytes) else { return form }
        return form.form(ifNoneMatch: tags)
    }

    /// The answer to a page of another origin whose request isn't allowed, or to a browser's preflight
    /// request.
    private func decideForPage(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Decision? {
        let fields = RequestFields(Array(bytes[..<head.length]))
        let isOptions = head.methodRange.bytes(in: bytes).elementsEqual(Self.options)
        if isOptions {
            let (access, target) = (loop.rules.access, head.target.bytes(in: bytes))
            let reply = access.origins.preflight(
                fields, access.methods(of: Array(target), at: listener.text))
            if let reply { return .reply(reply) }
        }
        let host = head.host.map { String(decoding: $0.bytes(in: bytes), as: UTF8.self) }
        guard let origin = fields.single("origin"),
            loop.rules.access.origins.allowsChanges(from: origin, host: host)
        else { return isOptions ? nil : .problem(.crossOrigin) }
        return nil
    }

    private static let options = Array("OPTIONS".utf8)

    private func isAccepted(_ host: UnsafeRawBufferPointer, _ context: ChannelHandlerContext) -> Bool {
        var names = loop.rules.access.hostNames
        // The channel's address, because the context of an HTTP/2 stream has none.
        if let address = context.channel.localAddress?.ipAddress {
            names.insert(address.contains(":") ? "[\(address)]" : address)
        }
        return names.accept(host)
    }

    /// A client without a token may still ask whether the gateway is alive.
    private func isLivenessCheck(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let target = head.target.bytes(in: bytes)
        return head.method != .other && !head.hasBody
            && (target.isExactly("/-/health") || target.isExactly("/-/ready"))
    }

    /// The inspector's page contains no facts about the host. It asks for them with a token.
    private func isPage(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard loop.isForAdmins, head.method != .other, !head.hasBody else { return false }
        let target = head.target.bytes(in: bytes)
        return HostRoute.pages.contains { target.elementsEqual("/-/\($0.rawValue)".utf8) }
    }

    private static let maxIgnoredBytes = 64 << 10

    /// Commands need no body, but some clients send one with every POST. It isn't read, so the connection
    /// ends with the answer.
    private func isIgnorable(_ head: RequestHead) -> Bool {
        loop.isForAdmins && head.method == .other && head.transferEncodingCount == 0
            && (head.contentLength ?? 0) <= Self.maxIgnoredBytes
    }

    /// The request has a field that goes to the API, so its answer is for this client only.
    private func hasForwarded(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var isFound = false
        RequestFields.forEach(in: UnsafeRawBufferPointer(rebasing: bytes[..<head.length])) { name, _ in
            if !isFound,
                loop.rules.access.forwarded.contains(String(decoding: name, as: UTF8.self).lowercased())
            {
                isFound = true
            }
        }
        return isFound
    }

    private func take(_ head: RequestHead) -> ClientRequest {
        var said: KnownConditions?
        var id: String?
        let client = machine.input.withUnsafeReadableBytes { bytes in
            if head.hasAcceptFields, head.ifNoneMatch == nil {
                said = loop.conditions.find(head, bytes, last: conditions)
            }
            let client = self.client(of: head, bytes) ?? loop.rules.access.stranger
            id = chosenID(head, bytes, client)
            return client
        }
        let stripped = strippedTarget(head)
        var request = machine.take(head, of: client, isLeaving: isLeaving, startedAt: startTime)
        request.leave(stripped)
        request.known = said
        request.id = id ?? loop.requestIDs.next()
        if let said { conditions = said }
        if loop.rules.access.spans != nil { request.makeSpan() }
        return request
    }

    /// The target of a stream of events without its token; nil if it has none.
    private func strippedTarget(_ head: RequestHead) -> [UInt8]? {
        guard let places = loop.rules.access.eventCredentials else { return nil }
        return machine.input.withUnsafeReadableBytes { bytes in
            places.apply(to: head, bytes) ? places.stripped(Array(head.target.bytes(in: bytes))) : nil
        }
    }

    private func write(
        _ answer: HotAnswer, _ form: PrerenderedResponse, _ head: RequestHead, now: Double,
        _ context: ChannelHandlerContext
    ) {
        guard head.minorVersion == 1, !head.saysClose, !isLeaving, !loop.rules.access.recordsRequests else {
            let request = take(head)
            guard let current = answer.answerSnapshot.answer(at: now) else { return ask(request, context) }
            labels = answer.labels
            return writeContent(
                current, .hit(.memory), answer.forwarded, request.conditions, request, context)
        }
        if head.method == .head {
            machine.skip(head, answeredWith: form.lines.readableBytes)
            sendOrQueue(form.lines, context)
        } else if let body = form.body {
            machine.skip(head, answeredWith: form.whole.readableBytes + body.readableBytes)
            pace(body, context)
            queue(form.whole, context)
            queue(body, context)
        } else {
            machine.skip(head, answeredWith: form.whole.readableBytes)
            sendOrQueue(form.whole, context)
        }
        count(answer, form, isHead: head.method == .head)
    }

    /// Counts the answer, if metrics are on.
    func count(_ answer: HotAnswer, _ form: PrerenderedResponse, isHead: Bool) {
        guard loop.metrics != nil else { return }
        loop.count(
            answer.labels, isHead ? "HEAD" : "GET", status: form.head.status, .hit,
            bytes: isHead ? 0 : form.bodyCount,
            since: loop.batchStart)
    }
}
