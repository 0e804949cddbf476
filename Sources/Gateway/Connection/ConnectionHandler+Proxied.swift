import NIOCore
import Platform
import RestEngine

/// An exchange with an API or a route whose body goes through a connection as it arrives, in one direction or
/// in both (rules 69). Event loop only.
final class ProxiedExchange {
    /// The bytes of the response's body that may wait, the pipe's included.
    static let answerBytes = BodyPipe.usualCapacity + 256 << 10

    /// The number of its request on the connection.
    let number: Int
    /// Takes the client's body; nil if there is none.
    let upload: BodyPipe?
    /// The client got `100 Continue`.
    var isContinued = false
    /// Nil until the answer begins.
    var answer: Answer?

    /// The answer in transit.
    struct Answer {
        let request: ClientRequest
        let streamed: StreamedAnswer
        let coding: Coding
        let closes: Bool
        var sentBytes = 0
        /// Bytes are being handed over. The handlers may call back meanwhile.
        var isSending = false
        /// The last two bytes that were handed over.
        var lastBytes: [UInt8] = [.newline, .newline]

        /// A heartbeat may be sent. Inside of an event it would become a part of it.
        var isBetweenEvents: Bool {
            streamed.isEventStream && !request.isHead && lastBytes == [.newline, .newline]
        }

        /// As many bytes were handed over as the head announced.
        var hasLength: Bool { streamed.length.map { $0 == sentBytes } ?? false }
    }

    /// How the end of the body is marked (RFC 9112 6.3).
    enum Coding {
        case length
        case chunks
        case untilClose
    }

    init(_ number: Int, upload: BodyPipe?) {
        self.number = number
        self.upload = upload
    }
}

/// Reports that the answer on a stream of HTTP/2 ends here incomplete.
struct BrokenAnswer {}

extension ConnectionHandler {
    // MARK: To the API

    /// Sends a request whose body is forwarded to its route or to the API as it arrives.
    ///
    /// - Parameter begun: The part of the body that has arrived already.
    func passBody(_ request: ClientRequest, _ begun: [UInt8], _ context: ChannelHandlerContext) {
        guard count(BodyPipe.usualCapacity) else { return fail(.tooManyBodies) }
        let pipe = BodyPipe(length: request.contentLength.map(Int64.init))
        if !begun.isEmpty { pipe.write(begun) }
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout
        machine.pass(request, sweep: loop.sweeps, timeout: loop.timeout.sweeps(seconds))
        proxied = ProxiedExchange(request.number, upload: pipe)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let (mailbox, number) = (loop.mailbox, request.number)
        pipe.onRoom { mailbox.send { connection.value.goOn(withBodyOf: number) } }
        if case .route(let entry, let params) = loop.rules.access.routes.match(request.method, request.target)
        {
            let body = ServedBody.arriving(pipe, isTooLong: !entry.route.streamsBody)
            return answer(entry, params, body, request, context)
        }
        var proxiedRequest = proxiedRequest(request)
        proxiedRequest.body = .stream(pipe)
        send(proxiedRequest, request, connection) { _ in }
    }

    /// A body in chunks has become longer than the gateway holds.
    func passGrownBody(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .receiving(let request, _) = machine.state else { return }
        let begun = body + Array(part.readableBytesView)
        body = []
        passBody(request, begun, context)
    }

    /// The transfer takes more of the body.
    private func goOn(withBodyOf number: Int) {
        // The body is not needed any more, because the answer has begun.
        guard let context, let proxied, proxied.upload?.isClosed == false,
            let request = machine.releaseBody(number, sweep: loop.sweeps)
        else { return }
        if request.expectsContinue, !proxied.isContinued {
            proxied.isContinued = true
            sayContinue(context)
        }
        proceed(context)
    }

    func pass(_ part: ByteBuffer) {
        guard let upload = proxied?.upload else { return }
        if !upload.write(Array(part.readableBytesView)) { machine.holdBody(sweep: loop.sweeps) }
    }

    // MARK: To the client

    /// Begins an answer whose body follows.
    func begin(_ number: Int, _ streamed: StreamedAnswer, _ labels: Int, of service: String?) {
        if holdHead(number, streamed, labels, of: service) { return }
        guard count(ProxiedExchange.answerBytes) else {
            streamed.pipe.close()
            return finish(number, Problem.tooManyBodies.reply, labels)
        }
        guard let context, var request = machine.beginAnswer(number, sweep: loop.sweeps) else {
            // A timeout has answered the request meanwhile.
            discount(ProxiedExchange.answerBytes)
            return streamed.pipe.close()
        }
        self.labels = labels
        request.service = service
        let coding = coding(of: streamed, for: request)
        let head = head(of: streamed, coding, for: request)
        let proxied = proxied ?? ProxiedExchange(number, upload: nil)
        self.proxied = proxied
        proxied.answer = ProxiedExchange.Answer(
            request: request, streamed: streamed, coding: coding, closes: head.framing.closes)
        queue(head, context)
        flush(context)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let mailbox = loop.mailbox
        streamed.pipe.onReadable { mailbox.send { connection.value.sendBody() } }
        if let begin = streamed.begin {
            // An answer without a body needs no function that writes one.
            request.isHead || streamed.isEmpty ? streamed.pipe.finish() : EngineLoop.shared.submit(begin)
        }
        sendBody()
    }

    private func coding(of streamed: StreamedAnswer, for request: ClientRequest) -> ProxiedExchange.Coding {
        streamed.length != nil || streamed.isEmpty || request.isHead
            ? .length : isHTTP2Stream || request.isOld ? .untilClose : .chunks
    }

    private func head(
        of streamed: StreamedAnswer, _ coding: ProxiedExchange.Coding, for request: ClientRequest
    ) -> ResponseHead {
        var head = head(streamed.status, for: request, at: loop.uptime())
        head.content.length = streamed.status == 204 ? nil : streamed.length.map { Int($0) }
        (head.proxied, head.freshness) = (streamed.fields, streamed.freshness)
        head.framing.isChunked = coding == .chunks
        if coding == .untilClose { head.framing.closes = true }
        return request.hooks?.apply(to: head) ?? head
    }

    /// Lets hooks see the head before the answer begins. Returns false if there are none.
    private func holdHead(
        _ number: Int, _ streamed: StreamedAnswer, _ labels: Int, of service: String?
    ) -> Bool {
        guard let request = machine.unanswered(number), let hooks = request.hooks, hooks.needsAfter else {
            return false
        }
        let head = head(of: streamed, coding(of: streamed, for: request), for: request)
        runAfter(hooks, head) { connection, problem in
            guard let problem else { return connection.begin(number, streamed, labels, of: service) }
            streamed.pipe.close()
            connection.finish(number, problem.reply, labels)
        }
        return true
    }

    /// Hands over the bytes of the answer's body that are there, as long as the client takes them.
    func sendBody() {
        guard let proxied, let answer = proxied.answer, !answer.isSending else { return }
        proxied.answer?.isSending = true
        defer { proxied.answer?.isSending = false }
        while let context, self.proxied === proxied, context.channel.isWritable {
            switch answer.streamed.pipe.next() {
            case .nothing: return
            case .bytes(let bytes):
                send(bytes, of: proxied, context)
                if isProxiedWhole { return endAnswer(proxied, context) }
            case .end: return endAnswer(proxied, context)
            case .broken: return breakAnswer(proxied, context)
            }
        }
    }

    func send(_ bytes: [UInt8], of proxied: ProxiedExchange, _ context: ChannelHandlerContext) {
        guard let answer = proxied.answer, !answer.request.isHead, !answer.streamed.isEmpty else { return }
        proxied.answer?.sentBytes += bytes.count
        proxied.answer?.lastBytes = Array((answer.lastBytes + bytes.suffix(2)).suffix(2))
        streamedSweep = loop.sweeps
        var buffer = context.channel.allocator.buffer(capacity: bytes.count + 20)
        if answer.coding == .chunks { buffer.writeString(String(bytes.count, radix: 16) + "\r\n") }
        buffer.writeBytes(bytes)
        if answer.coding == .chunks { buffer.writeString("\r\n") }
        machine.wrote(buffer.readableBytes)
        queue(buffer, context)
        flush(context)
    }

    private func endAnswer(_ proxied: ProxiedExchange, _ context: ChannelHandlerContext) {
        guard let answer = proxied.answer else { return }
        let isBodyless = answer.request.isHead || answer.streamed.isEmpty
        if let length = answer.streamed.length, !isBodyless, length != answer.sentBytes {
            return breakAnswer(proxied, context)
        }
        concludeProxying(answer, context)
        let isLast = machine.endAnswer(closes: answer.closes || isLeaving, sweep: loop.sweeps)
        let end = ByteBuffer(string: answer.coding == .chunks ? "0\r\n\r\n" : "")
        machine.wrote(end.readableBytes)
        if end.readableBytes > 0 || isLast {
            queue(end, promise: isLast ? closing() : nil, context)
            flush(context)
        }
        proceed(context)
    }

    /// Both bodies have the lengths that were announced, so no bytes follow in either direction.
    private var isProxiedWhole: Bool { proxied?.answer?.hasLength ?? false && machine.hasProxiedBody }

    /// A client that leaves with the whole answer doesn't break it off. Called before the machine closes.
    func concludeWholeProxying(_ context: ChannelHandlerContext) {
        if isProxiedWhole, let answer = proxied?.answer { concludeProxying(answer, context) }
    }

    private func concludeProxying(_ answer: ProxiedExchange.Answer, _ context: ChannelHandlerContext) {
        logStreamed(answer, context)
        (pendingRead, slot) = (nil, nil)
        endProxying()
    }

    /// The body stays incomplete, so the answer ends in a way that the client can't take for its end.
    private func breakAnswer(_ proxied: ProxiedExchange, _ context: ChannelHandlerContext) {
        guard let answer = proxied.answer else { return }
        logStreamed(answer, context)
        proxied.answer = nil
        if isHTTP2Stream {
            context.triggerUserOutboundEvent(BrokenAnswer(), promise: nil)
        } else if answer.coding == .untilClose {
            // For a body without a length, only a reset differs from the end (RFC 9112 8).
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(
                linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    private func logStreamed(_ answer: ProxiedExchange.Answer, _ context: ChannelHandlerContext) {
        logAccess(
            answer.request, status: answer.streamed.status, .init(status: answer.streamed.status),
            bytes: answer.sentBytes, context)
    }

    // MARK: The end

    /// Ends the exchange: neither side gets more of the other's body.
    func endProxying() {
        guard let proxied else { return }
        self.proxied = nil
        proxied.upload?.fail(.clientLeft)
        proxied.answer?.streamed.pipe.close()
        dropBody()
    }
}

extension TransportError {
    /// The client has left, so the rest of its body won't arrive.
    fileprivate static var clientLeft: TransportError {
        TransportError(.internal, phase: .send, message: "the client did not send the whole body")
    }
}
