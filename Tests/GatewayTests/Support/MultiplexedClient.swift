import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import Platform
import TestSupport
import Testing

/// An HTTP/2 client, which may send invalid bytes. Its connection ends if a test waits in vain.
final class MultiplexedClient: Sendable {
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer
    private let handshake: NIOLoopBound<HeldHandshake>?

    /// - Parameters:
    ///   - held: The place where its handshake stops until ``goOn()``; nil: nowhere.
    ///   - header: The bytes of a proxy before TLS.
    init(port: UInt16, held: HeldHandshake.Place? = nil, behind header: [UInt8] = []) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.authority.utf8)))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.headerBlockValidation = .disabled
        connection.contentLengthValidation = .disabled
        let manner = connection
        (channel, streams, handshake) = try await ClientBootstrap(
            group: MultiThreadedEventLoopGroup.singleton
        )
        .connect(host: "127.0.0.1", port: Int(port)) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(ProxySide(header))
                let handshake = held.map(HeldHandshake.init)
                if let handshake { try pipeline.addHandler(handshake) }
                try pipeline.addHandler(
                    NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                let streams = try pipeline.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: manner, streamConfiguration: .init()
                ) { $0.eventLoop.makeSucceededVoidFuture() }
                let bound = handshake.map { NIOLoopBound($0, eventLoop: channel.eventLoop) }
                return (channel, streams, bound)
            }
        }
    }

    deinit { channel.close(promise: nil) }

    /// Sends the held part of the handshake.
    func goOn() async throws {
        guard let handshake else { return }
        try await channel.eventLoop.submit { handshake.value.goOn() }.get()
    }

    /// Completes when the connection is closed.
    func isClosed(at location: SourceLocation = #_sourceLocation) async {
        try? await wait(for: "the end of a connection", at: location) { try await channel.closeFuture.get() }
    }

    private func wait<Value>(
        for what: String, at location: SourceLocation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await patiently(what, at: location, giveUp: { [channel] in channel.close(promise: nil) }, body)
    }

    func get(
        _ path: String, method: String = "GET", _ fields: [(String, String)] = [],
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await ask(Self.head(method, path, fields), at: location)
    }

    static func head(
        _ method: String, _ path: String, _ fields: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)] + fields
    }

    /// Throws if the stream is reset.
    func ask(
        _ head: [(String, String)], body: [[UInt8]]? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await begin(head, body: body, at: location).answer.get(at: location)
    }

    /// A stream on which a request was sent.
    func begin(
        _ head: [(String, String)], body: [[UInt8]]? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> (answer: PendingAnswer, stream: any Channel) {
        let answer = channel.eventLoop.makePromise(of: Answer.self)
        let opened = channel.eventLoop.makePromise(of: (any Channel).self)
        streams.createStreamChannel(promise: opened) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(AnswerCollector(answer))
            }
        }
        opened.futureResult.whenFailure { answer.fail($0) }
        let stream = try await wait(for: "a stream", at: location) { try await opened.futureResult.get() }
        let headers = HPACKHeaders(head)
        stream.writeAndFlush(
            HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: body == nil)), promise: nil)
        for (index, part) in (body ?? []).enumerated() {
            stream.writeAndFlush(
                HTTP2Frame.FramePayload.data(
                    .init(
                        data: .byteBuffer(ByteBuffer(bytes: part)),
                        endStream: index + 1 == body?.count)), promise: nil)
        }
        return (PendingAnswer(future: answer.futureResult, connection: channel), stream)
    }
}

/// The future answer of a stream.
struct PendingAnswer {
    fileprivate let future: EventLoopFuture<Answer>
    fileprivate let connection: any Channel

    func get(at location: SourceLocation = #_sourceLocation) async throws -> Answer {
        try await patiently(
            "an answer over HTTP/2", at: location,
            giveUp: { [connection] in connection.close(promise: nil) }
        ) { try await future.get() }
    }
}

/// The stream was reset.
struct StreamReset: Error {
    let code: HTTP2ErrorCode
}

/// Runs on the stream's event loop.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let promise: EventLoopPromise<Answer>
    private var answer = Answer(head: "")
    private var body: [UInt8] = []

    init(_ promise: EventLoopPromise<Answer>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let part):
            let status = part.headers.first(name: ":status") ?? ""
            let lines = part.headers.filter { !$0.name.hasPrefix(":") }.map { "\($0.name): \($0.value)\r\n" }
            answer = Answer(head: "HTTP/2 \(status) -\r\n" + lines.joined())
            if part.endStream { finish() }
        case .data(let part):
            if case .byteBuffer(let bytes) = part.data { body += bytes.readableBytesView }
            if part.endStream { finish() }
        case .rstStream(let code): promise.fail(StreamReset(code: code))
        default: break
        }
    }

    private func finish() {
        answer.body = String(decoding: body, as: UTF8.self)
        promise.succeed(answer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let closed = error as? NIOHTTP2Errors.StreamClosed {
            promise.fail(StreamReset(code: closed.errorCode))
        } else {
            promise.fail(error)
        }
        context.close(promise: nil)
    }

    /// The stream has ended, or could not begin.
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
