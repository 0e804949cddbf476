import NIOCore
import RestEngine

extension ConnectionHandler {
    // MARK: Asking

    /// Asks the engine, or answers what needs no engine.
    func ask(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        switch exchange.target.withUnsafeBytes({ RequestTarget($0) }) {
        case .host(let name, let query): askHost(name, query, exchange, context)
        case _ where loop.isForAdmins:
            let problem = Problem(
                404, "not_found", "the admin socket has /-/status and its like; resources are the gateway's")
            write(problem.reply, exchange, context)
        case .resource(let path): read(path, exchange)
        case .nothing: read(ResourcePath(service: "", path: "", query: nil), exchange)
        }
    }

    private func read(_ path: ResourcePath, _ exchange: Exchange) {
        let own = loop.access.requestTimeout
        let connection = wait(exchange, seconds: own ?? EngineDesk.usualPatience)
        let (desk, method, number, post) = (loop.desk, exchange.method, exchange.number, loop.post)
        EngineLoop.shared.submit {
            desk.read(
                path, method: method,
                waiting: { seconds in
                    guard own == nil else { return }
                    post.send { connection.value.allow(number, seconds: seconds) }
                },
                { outcome in
                    post.send { connection.value.finish(number, outcome) }
                })
        }
    }

    /// - Parameter seconds: After which it is answered in any case; nil for a wait that has an end of its own.
    func wait(_ exchange: Exchange, seconds: Double?) -> NIOLoopBound<ConnectionHandler> {
        self.exchange = exchange
        self.exchange?.lastTick = seconds.map { loop.tick + loop.ticks($0) } ?? .max
        phase = .waiting
        return NIOLoopBound(self, eventLoop: loop.eventLoop)
    }

    /// The exchange may take so many seconds from now on.
    private func allow(_ number: Int, seconds: Double) {
        guard phase == .waiting, exchange?.number == number else { return }
        exchange?.lastTick = loop.tick + loop.ticks(seconds)
    }

    // MARK: Being answered

    /// The exchange that waits, if it is still this one: the client may be gone, or answered by a time limit.
    private func awaited(_ number: Int) -> (Exchange, ChannelHandlerContext)? {
        guard phase == .waiting, let exchange, exchange.number == number, let context else { return nil }
        self.exchange = nil
        phase = .reading
        lastTick = loop.tick
        return (exchange, context)
    }

    func finish(_ number: Int, _ outcome: EngineDesk.Outcome) {
        guard let (exchange, context) = awaited(number) else { return }
        switch outcome {
        case .problem(let problem): write(problem.reply, exchange, context)
        case .answer(let answer, let status, let shown):
            loop.refreshAccess()
            if shown.version == loop.access.version {
                loop.targets.insert(
                    HotAnswer(
                        target: exchange.target, publication: shown.publication, methods: shown.methods))
            }
            let matches = exchange.ifNoneMatch?.withUnsafeBytes {
                EntityTag.list($0, contains: answer.content.etag)
            }
            writeContent(answer, status, exchange, isNotModified: matches ?? false, context)
        }
        proceed(context)
    }

    func finish(_ number: Int, _ reply: Reply) {
        guard let (exchange, context) = awaited(number) else { return }
        write(reply, exchange, context)
        proceed(context)
    }

    /// Goes on with the requests behind the one just answered.
    private func proceed(_ context: ChannelHandlerContext) {
        if phase == .reading { answerRequests(context) }
        flush(context)
    }

    // MARK: Writing

    func writeContent(
        _ answer: PublishedAnswer, _ status: CacheStatus, _ exchange: Exchange, isNotModified: Bool,
        _ context: ChannelHandlerContext
    ) {
        let head = loop.writer.contentHead(
            answer, isNotModified: isNotModified, status, now: loop.clock(), framing(exchange))
        let body = isNotModified || exchange.isHead ? nil : ContentRendering.of(answer.content).body
        write(head, body, status: isNotModified ? 304 : answer.content.status, exchange, context)
    }

    func write(_ reply: Reply, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        let head = loop.writer.head(of: reply, now: loop.clock(), framing(exchange))
        write(
            head, exchange.isHead ? nil : ByteBuffer(bytes: reply.body), status: reply.status, exchange,
            context)
    }

    /// The gateway, or its listener, may have begun to stop since the request came.
    private func framing(_ exchange: Exchange) -> AnswerWriter.Framing {
        isLeaving ? AnswerWriter.Framing(closes: true) : exchange.framing
    }

    private func write(
        _ head: ByteBuffer, _ body: ByteBuffer?, status: Int, _ exchange: Exchange,
        _ context: ChannelHandlerContext
    ) {
        needsFlush = true
        writtenBytes += head.readableBytes + (body?.readableBytes ?? 0)
        let isLast = framing(exchange).closes
        let promise = isLast ? closing(lingers: exchange.hasUnreadBytes || input.readableBytes > 0) : nil
        if let body {
            context.write(wrapOutboundOut(head), promise: nil)
            context.write(wrapOutboundOut(body), promise: promise)
        } else {
            context.write(wrapOutboundOut(head), promise: promise)
        }
        loop.accessLog?(
            AccessRecord(
                method: exchange.method, target: String(decoding: exchange.target, as: UTF8.self),
                status: status,
                bytes: body?.readableBytes ?? 0, duration: loop.clock() - exchange.startedAt))
    }

    /// Answers bytes that are no request, and closes.
    func fail(_ problem: Problem) {
        guard let context else { return }
        let exchange = Exchange(
            method: "-", target: [], isHead: false, isAuthorized: false, hasUnreadBytes: true,
            framing: AnswerWriter.Framing(closes: true), ifNoneMatch: nil, startedAt: loop.clock())
        write(problem.reply, exchange, context)
        flush(context)
    }

    /// The promise of the last answer. Closing at once while bytes are still coming in would reset the
    /// connection, and the client might never see the answer; then the sending half closes first (RFC 9112
    /// 9.6).
    private func closing(lingers: Bool) -> EventLoopPromise<Void> {
        phase = .finishing
        input = ByteBuffer()
        let promise = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        promise.futureResult.whenComplete { _ in
            bound.value.end(lingers: lingers)
        }
        return promise
    }
}
