import NIOCore
import RestEngine

extension ConnectionHandler {
    // MARK: Asking

    /// Asks the engine, or answers a request that needs no engine.
    func ask(_ request: ClientRequest, _ context: ChannelHandlerContext) {
        guard loop.rules.access.knows(method: request.method) else {
            return write(Problem.unknownMethod(request.method).reply, request, context)
        }
        switch request.target.withUnsafeBytes({ RequestTarget($0) }) {
        case .host(let name, let query): askHost(name, query, request, context)
        case .server:
            let methods = loop.isForAdmins ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"]
            write(Reply(allowing: methods), request, context)
        case _ where loop.audience != .clients:
            write(Problem.noResources(for: loop.audience).reply, request, context)
        case .resource(let path): ask(path, request, context)
        case .nothing: ask(ResourcePath(service: "", path: "", query: nil), request, context)
        }
    }

    /// Asks for a path. The number of these requests that a client may have under way is limited; requests
    /// about the host itself have no such limit.
    private func ask(_ path: ResourcePath, _ request: ClientRequest, _ context: ChannelHandlerContext) {
        if let limited = loop.rules.access.requests {
            slot = limited.take(for: clientName(request))
            if slot == nil { return write(Problem.tooMany("requests").reply, request, context) }
        }
        var request = request
        if let matches = loop.rules.access.hooks.match(request.method, request.target) {
            if meetHooks(&request, matches, context) {
                matches.before.isEmpty
                    ? find(path, request, context) : runBefore(matches.before, path, request)
            }
        } else {
            find(path, request, context)
        }
        givePlaceBack()
    }

    /// Lets a route, a stream or a resource answer.
    func find(_ path: ResourcePath, _ request: ClientRequest, _ context: ChannelHandlerContext) {
        var path = path
        path.partition = partition(of: request)
        switch loop.rules.access.routes.match(request.method, request.target) {
        case .none: break
        case .otherMethods(let methods):
            if request.method == "OPTIONS" { return write(Reply(allowing: methods), request, context) }
            return write(Problem.methodNotAllowed(request.method, methods).reply, request, context)
        case .route(let entry, let params):
            guard request.hasUnreadBytes else { return answer(entry, params, .held([]), request, context) }
            return entry.route.streamsBody || isLongerThanHeld(request)
                ? passBody(request, [], context) : takeBody(request, context)
        }
        if request.method == "GET", request.conditions.wantsEvents { return stream(path, request, context) }
        if readsResource(request, in: path.partition) { return read(path, request) }
        request.hasUnreadBytes ? admit(path, request) : pass(request, nil, context)
    }

    private func read(_ path: ResourcePath, _ request: ClientRequest) {
        let question = question(path, request, origin(of: request, in: path.partition))
        let read = awaitRead(of: request)
        EngineLoop.shared.submit { read(question) }
    }

    /// A read of a resource, which the client can leave.
    func question(
        _ path: ResourcePath, _ request: ClientRequest, _ origin: RequestOrigin
    ) -> EngineClient.Question {
        let pendingRead = PendingRead()
        self.pendingRead = pendingRead
        return EngineClient.Question(
            path: path, method: request.method,
            accessPolicy: request.accessPolicy ?? loop.rules.access.accessPolicy,
            directives: request.conditions.directives, fields: request.fields, origin: origin,
            pendingRead: pendingRead)
    }

    /// Waits for a read. The caller begins it with the function that this returns, on the engine loop.
    func awaitRead(of request: ClientRequest) -> @EngineActor @Sendable (EngineClient.Question) -> Void {
        let own = loop.rules.access.limits.requestTimeout
        let connection = wait(request, seconds: own ?? EngineClient.usualTimeout)
        let (engine, number, mailbox) = (loop.engine, request.number, loop.mailbox)
        return { question in
            engine.read(
                question,
                waiting: { seconds in
                    guard own == nil else { return }
                    mailbox.send { connection.value.extend(number, seconds: seconds) }
                },
                { outcome in
                    let labels = engine.labels(
                        of: question.path, question.method, question.accessPolicy, question.pendingRead)
                    mailbox.send {
                        connection.value.finish(number, outcome, labels, of: question.path.service)
                    }
                })
        }
    }

    /// The client has gone while it waited.
    func leave() {
        guard let pendingRead else { return }
        self.pendingRead = nil
        EngineLoop.shared.submit { pendingRead.leave() }
    }

    /// - Parameter seconds: The time after which the request is answered in any case; nil if the wait has its
    ///   own end.
    func wait(_ request: ClientRequest, seconds: Double?) -> NIOLoopBound<ConnectionHandler> {
        machine.wait(for: request, until: seconds.map(deadline) ?? .max)
        return NIOLoopBound(self, eventLoop: loop.eventLoop)
    }

    private func deadline(in seconds: Double) -> Int { loop.sweeps + loop.timeout.sweeps(seconds) }

    func extend(_ number: Int, seconds: Double) {
        machine.extend(number, until: deadline(in: seconds))
    }

    // MARK: Being answered

    /// The request that waits, if it still has this number.
    func resume(_ number: Int) -> (ClientRequest, ChannelHandlerContext)? {
        guard let context, let request = machine.resume(number, sweep: loop.sweeps) else { return nil }
        return (request, context)
    }

    /// - Parameter service: The service that was asked for, unless the outcome says that there is none.
    func finish(
        _ number: Int, _ outcome: EngineClient.Outcome, _ labels: Int = GatewayMetrics.noLabels,
        of service: String? = nil
    ) {
        if case .body(let streamed) = outcome { return begin(number, streamed, labels, of: service) }
        guard let (waiting, context) = resume(number) else { return }
        var request = waiting
        if !outcome.isOfNoService { request.service = service }
        self.labels = labels
        endProxying()
        dropBody()
        pendingRead = nil
        switch outcome {
        case .body: break
        case .problem(let problem): write(problem.reply, request, context)
        case .reply(let reply): write(reply, request, context)
        case .own(let content, let fields): writeOwn(content, fields, request, context)
        case .answer(let answer, let status, let shown):
            loop.refreshRules()
            if shown.version == loop.rules.access.version, request.hooks == nil, !shown.isPrivate,
                let accessPolicy = request.accessPolicy
            {
                loop.show(shown, at: request.target, accessPolicy)
            }
            writeContent(
                answer, status, shown.forwarded, request.conditions, timing: shown.timing,
                isPrivate: shown.isPrivate, request, context)
        }
        proceed(context)
    }

    func finish(_ number: Int, _ reply: Reply, _ labels: Int = GatewayMetrics.noLabels) {
        guard let (request, context) = resume(number) else { return }
        self.labels = labels
        if proxied != nil { leave() }
        if stream?.isHeld ?? false { endStream() }
        endProxying()
        dropBody()
        write(reply, request, context)
        proceed(context)
    }

    /// Continues with the requests behind the one that was answered.
    func proceed(_ context: ChannelHandlerContext) {
        givePlaceBack()
        answerRequests(context)
        flush(context)
    }

    /// Frees the client's slot once its request is answered.
    func givePlaceBack() {
        if machine.isReading || machine.isFinishing { slot = nil }
    }

    // MARK: Writing

    /// Writes the content in the form and part that the client wants, or the confirmation of the client's
    /// copy.
    func writeContent(
        _ answer: PublishedAnswer, _ status: CacheStatus, _ proxied: ForwardedHeaders,
        _ conditions: ReadConditions,
        timing: String? = nil, isPrivate: Bool = false, _ request: ClientRequest,
        _ context: ChannelHandlerContext
    ) {
        let selection = ContentSelection(answer.content, conditions, hasStream: !proxied.isOwn)
        switch selection.result {
        case .problem(let problem): write(problem.reply, request, context)
        case .content(let code, let fields, let body):
            let now = loop.uptime()
            var head = head(code, for: request, at: now)
            (head.content, head.timing) = (fields, timing)
            head.proxied = proxied.fields(of: answer.content.headers, from: answer.content.url)
            head.freshness = Freshness(of: answer, status, now: now, isPrivate: isPrivate)
            write(head, request.isHead ? nil : body, .init(status), request, context)
        }
    }

    /// Writes the content of one client's own read, which the API sent for this client.
    private func writeOwn(
        _ content: EncodedContent, _ fields: [(String, String)], _ request: ClientRequest,
        _ context: ChannelHandlerContext
    ) {
        switch ContentSelection(content, request.conditions.ofOwnRead).result {
        case .problem(let problem): write(problem.reply, request, context)
        case .content(let code, let contentFields, let body):
            var head = head(code, for: request, at: loop.uptime())
            (head.content, head.proxied, head.freshness) = (contentFields, fields, .unstored)
            write(head, body, .init(status: code), request, context)
        }
    }

    func write(_ reply: Reply, _ request: ClientRequest, _ context: ChannelHandlerContext) {
        let reply = reply.telling(request.id)
        var head = head(reply.status, for: request, at: loop.uptime())
        (head.content, head.proxied, head.freshness) = (reply.content, reply.fields, reply.freshness)
        write(
            head, request.isHead ? nil : AnswerBody(reply.body), .init(status: reply.status),
            code: reply.code, request, context)
    }

    /// - Parameter code: The code of the problem that is the answer.
    func write(
        _ head: ResponseHead, _ body: AnswerBody?, _ outcome: RequestSeries.Outcome, code: String? = nil,
        _ request: ClientRequest, _ context: ChannelHandlerContext
    ) {
        if holdAnswer(head, body, outcome, code, request) { return }
        // On a stream of HTTP/2 the head goes out as a value and not as bytes.
        if isHTTP2Stream { queue(head, context) }
        var piece = isHTTP2Stream ? ByteBuffer() : head.lines(room: body?.joinedCount ?? 0)
        let isLast = machine.answer(
            request, bytes: piece.readableBytes + (body?.count ?? 0), closes: head.framing.closes)
        let promise = isLast ? closing() : nil
        if let rest = body?.join(&piece) {
            pace(rest, context)
            queue(piece, context)
            queue(rest, promise: promise, context)
        } else if isLast {
            queue(piece, promise: promise, context)
        } else {
            sendOrQueue(piece, context)
        }
        logAccess(request, status: head.status, outcome, bytes: body?.count ?? 0, code: code, context)
    }

    /// Answers bytes that are no request, and closes the connection.
    func fail(_ problem: Problem) {
        guard let context else { return }
        if let proxied {
            leave()
            endProxying()
            // An answer that has begun can't be replaced.
            if proxied.answer != nil { return close() }
        }
        var request = ClientRequest(unreadableAt: startTime)
        request.id = loop.requestIDs.next()
        write(problem.reply, request, context)
        flush(context)
    }

    /// The promise that the last answer fulfils.
    func closing() -> EventLoopPromise<Void> {
        let promise = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        promise.futureResult.whenComplete { _ in
            bound.value.lastAnswerIsOut()
        }
        return promise
    }

    private func lastAnswerIsOut() {
        switch machine.lastAnswerIsOut(sweep: loop.sweeps) {
        case nil: break
        case .close: context?.close(promise: nil)
        case .closeOutput: context?.close(mode: .output, promise: nil)
        }
    }
}
