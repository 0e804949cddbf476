import NIOCore
import Platform
import RestEngine

/// A body that goes through a connection as it comes, in one direction or in both (rules 69). Event loop
/// only.
final class BodyPassage {
    /// Of the transfer's body, what waits beside that of the pipe.
    static let answerBytes = BodyPipe.usualCapacity + 256 << 10

    /// Counted on its connection.
    let number: Int
    /// Takes the client's body; nil for none.
    let upload: BodyPipe?
    /// The client was told to send it.
    var isContinued = false
    /// Nil until the answer begins.
    var answer: Answer?

    /// The answer on its way.
    struct Answer {
        let request: ClientRequest
        let streamed: StreamedAnswer
        let coding: Coding
        let closes: Bool
        var sentBytes = 0
        /// Its bytes are being handed over: what that leads to comes back here.
        var isSending = false

        /// As many bytes were handed over as the head announced.
        var hasLength: Bool { streamed.length.map { $0 == sentBytes } ?? false }
    }

    /// How the end of the body is told (RFC 9112 6.3).
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

/// Tells that the answer of a stream of HTTP/2 ends here without being whole.
struct BrokenAnswer {}

extension ConnectionHandler {
    // MARK: To the API

    /// Sends a request whose body goes along as it comes.
    ///
    /// - Parameter begun: What has come of the body already.
    func passBody(_ request: ClientRequest, _ begun: [UInt8], _ context: ChannelHandlerContext) {
        guard count(BodyPipe.usualCapacity) else { return fail(.tooManyBodies) }
        let pipe = BodyPipe(length: request.contentLength.map(Int64.init))
        if !begun.isEmpty { pipe.write(begun) }
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualPatience
        machine.pass(request, sweep: loop.sweeps, patience: loop.patience.sweeps(seconds))
        passage = BodyPassage(request.number, upload: pipe)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let (mailbox, number) = (loop.mailbox, request.number)
        pipe.onRoom { mailbox.send { connection.value.goOn(withBodyOf: number) } }
        var passed = passed(request)
        passed.body = .stream(pipe)
        send(passed, request, connection) { _ in }
    }

    /// A body in chunks has become longer than is held.
    func passGrownBody(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .receiving(let request, _) = machine.state else { return }
        if case .route = loop.rules.access.routes.match(request.method, request.target) {
            return fail(Problem(RequestFault.bodyTooLarge))
        }
        let begun = body + Array(part.readableBytesView)
        body = []
        passBody(request, begun, context)
    }

    /// More of the body is wanted.
    private func goOn(withBodyOf number: Int) {
        // Nobody reads it any more: the answer is on its way.
        guard let context, let passage, passage.upload?.isClosed == false,
            let request = machine.releaseBody(number, sweep: loop.sweeps)
        else { return }
        if request.expectsContinue, !passage.isContinued {
            passage.isContinued = true
            sayContinue(context)
        }
        proceed(context)
    }

    func pass(_ part: ByteBuffer) {
        guard let upload = passage?.upload else { return }
        if !upload.write(Array(part.readableBytesView)) { machine.holdBody(sweep: loop.sweeps) }
    }

    // MARK: To the client

    /// Begins the answer whose body comes now.
    func begin(_ number: Int, _ streamed: StreamedAnswer, _ labels: Int) {
        guard count(BodyPassage.answerBytes) else {
            streamed.pipe.close()
            return finish(number, Problem.tooManyBodies.reply, labels)
        }
        guard let context, let request = machine.beginAnswer(number, sweep: loop.sweeps) else {
            // It was answered by a limit of time.
            discount(BodyPassage.answerBytes)
            return streamed.pipe.close()
        }
        self.labels = labels
        let coding: BodyPassage.Coding =
            streamed.length != nil || streamed.isEmpty || request.isHead
            ? .length : isHTTP2Stream || request.isOld ? .untilClose : .chunks
        var head = head(streamed.status, for: request, at: loop.uptime())
        head.content.length = streamed.status == 204 ? nil : streamed.length.map { Int($0) }
        (head.passed, head.freshness) = (streamed.fields, .unstored)
        head.framing.isChunked = coding == .chunks
        if coding == .untilClose { head.framing.closes = true }
        let passage = passage ?? BodyPassage(number, upload: nil)
        self.passage = passage
        passage.answer = BodyPassage.Answer(
            request: request, streamed: streamed, coding: coding, closes: head.framing.closes)
        queue(head, context)
        flush(context)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let mailbox = loop.mailbox
        streamed.pipe.onReadable { mailbox.send { connection.value.sendBody() } }
        sendBody()
    }

    /// Hands over what there is of the answer's body, as long as the client takes it.
    func sendBody() {
        guard let passage, let answer = passage.answer, !answer.isSending else { return }
        passage.answer?.isSending = true
        defer { passage.answer?.isSending = false }
        while let context, self.passage === passage, context.channel.isWritable {
            switch answer.streamed.pipe.next() {
            case .nothing: return
            case .bytes(let bytes):
                send(bytes, of: passage, context)
                if isPassageWhole { return endAnswer(passage, context) }
            case .end: return endAnswer(passage, context)
            case .broken: return breakAnswer(passage, context)
            }
        }
    }

    private func send(_ bytes: [UInt8], of passage: BodyPassage, _ context: ChannelHandlerContext) {
        guard let answer = passage.answer, !answer.request.isHead, !answer.streamed.isEmpty else { return }
        passage.answer?.sentBytes += bytes.count
        var buffer = context.channel.allocator.buffer(capacity: bytes.count + 20)
        if answer.coding == .chunks { buffer.writeString(String(bytes.count, radix: 16) + "\r\n") }
        buffer.writeBytes(bytes)
        if answer.coding == .chunks { buffer.writeString("\r\n") }
        machine.wrote(buffer.readableBytes)
        queue(buffer, context)
        flush(context)
    }

    private func endAnswer(_ passage: BodyPassage, _ context: ChannelHandlerContext) {
        guard let answer = passage.answer else { return }
        let isBodyless = answer.request.isHead || answer.streamed.isEmpty
        if let length = answer.streamed.length, !isBodyless, length != answer.sentBytes {
            return breakAnswer(passage, context)
        }
        concludePassage(answer, context)
        let isLast = machine.endAnswer(closes: answer.closes || isLeaving, sweep: loop.sweeps)
        let end = ByteBuffer(string: answer.coding == .chunks ? "0\r\n\r\n" : "")
        machine.wrote(end.readableBytes)
        if end.readableBytes > 0 || isLast {
            queue(end, promise: isLast ? closing() : nil, context)
            flush(context)
        }
        proceed(context)
    }

    /// Nothing more is to come, in either direction, by the length that was announced.
    private var isPassageWhole: Bool { passage?.answer?.hasLength ?? false && machine.hasPassedBody }

    /// A client that leaves with all of it breaks nothing off. Before the machine closes.
    func concludeWholePassage(_ context: ChannelHandlerContext) {
        if isPassageWhole, let answer = passage?.answer { concludePassage(answer, context) }
    }

    private func concludePassage(_ answer: BodyPassage.Answer, _ context: ChannelHandlerContext) {
        logStreamed(answer, context)
        (pendingRead, place) = (nil, nil)
        endPassage()
    }

    /// The body won't be whole, and the client is to see that: its answer ends where no answer can end.
    private func breakAnswer(_ passage: BodyPassage, _ context: ChannelHandlerContext) {
        guard let answer = passage.answer else { return }
        logStreamed(answer, context)
        passage.answer = nil
        if isHTTP2Stream {
            context.triggerUserOutboundEvent(BrokenAnswer(), promise: nil)
        } else if answer.coding == .untilClose {
            // Nothing but a reset tells it from the end (RFC 9112 8).
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(
                linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    private func logStreamed(_ answer: BodyPassage.Answer, _ context: ChannelHandlerContext) {
        logAccess(
            answer.request, status: answer.streamed.status, .init(status: answer.streamed.status),
            bytes: answer.sentBytes, context)
    }

    // MARK: The end

    /// Nothing goes through any more: neither side gets more of the other's body.
    func endPassage() {
        guard let passage else { return }
        self.passage = nil
        passage.upload?.fail(.clientLeft)
        passage.answer?.streamed.pipe.close()
        dropBody()
    }
}

extension TransportError {
    /// The rest of a body won't come.
    fileprivate static var clientLeft: TransportError {
        TransportError(.internal, phase: .send, message: "the client did not send the whole body")
    }
}
