import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Platform
import TestSupport
import Testing

/// A TLS client. Its connection ends if a test waits in vain.
final class SecureClient: Sendable {
    /// The client's protocols and credentials.
    struct Manner: Sendable {
        var lowest = TLSVersion.tlsv12
        var highest = TLSVersion.tlsv13
        var protocols = ["http/1.1"]
        /// A certificate with its key, in PEM.
        var certificate: (String, String)?
        /// The bytes of a proxy before TLS.
        var header: [UInt8] = []

        static let usual = Manner()

        static func showing(_ certificate: String, _ key: String) -> Manner {
            Manner(certificate: (certificate, key))
        }
    }

    private let channel: any Channel
    private let inbox: Inbox

    init(
        port: UInt16, _ manner: Manner = .usual, at location: SourceLocation = #_sourceLocation
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.authority.utf8)))
        configuration.minimumTLSVersion = manner.lowest
        configuration.maximumTLSVersion = manner.highest
        configuration.applicationProtocols = manner.protocols
        if let (certificate, key) = manner.certificate {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map {
                .certificate($0)
            }
            configuration.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        }
        let context = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup.singleton
        let loop = group.next()
        let ready = loop.makePromise(of: Void.self)
        let inbox = Inbox(ready)
        self.inbox = inbox
        let secure = try NIOLoopBoundBox.makeBoxSendingValue(
            NIOSSLClientHandler(context: context, serverHostname: "localhost"), eventLoop: loop)
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 << 10))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            ProxySide(manner.header), secure.value, inbox.handler,
                        ])
                    }
                }.connect(host: "127.0.0.1", port: Int(port)).get()
        } catch {
            ready.fail(error)
            throw error
        }
        try await wait(for: "the handshake", at: location) { try await ready.futureResult.get() }
    }

    deinit { channel.close(promise: nil) }

    func close() async { try? await channel.close() }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Takes no more bytes from its socket until it is asked for an answer.
    func pause() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func get(
        _ target: String, fields: [String] = [], at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let extra = fields.map { $0 + "\r\n" }.joined()
        try await send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(extra)\r\n")
        return try await answer(at: location)
    }

    func answer(at location: SourceLocation = #_sourceLocation) async throws -> Answer {
        // If the last answer has arrived, it may be closed already.
        try? await channel.setOption(.autoRead, value: true).get()
        return try await wait(for: "an answer over TLS", at: location) { try await inbox.answer() }
    }

    /// True if the other side closes without another byte.
    func isClosed(at location: SourceLocation = #_sourceLocation) async -> Bool {
        await wait(for: "the end of a connection", at: location) { await inbox.isClosed() }
    }

    /// Drops bytes until the other side closes.
    func drain(at location: SourceLocation = #_sourceLocation) async {
        await wait(for: "the end of a connection", at: location) { await inbox.drain() }
    }

    /// The content of the next HTTP/2 frame of this type on this stream (RFC 9113 4.1); nil if the other side
    /// closes before.
    func frame(
        _ type: UInt8, on stream: UInt8, at location: SourceLocation = #_sourceLocation
    ) async -> [UInt8]? {
        await wait(for: "a frame of type \(type)", at: location) { await inbox.frame(type, on: stream) }
    }

    private func wait<Value>(
        for what: String, at location: SourceLocation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await patiently(what, at: location, giveUp: { [channel] in channel.close(promise: nil) }, body)
    }

    /// The server's certificate in DER.
    func serverCertificate() async throws -> [UInt8] {
        let certificate = try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.nioSSL_peerCertificate()
        }.get()
        return try certificate?.toDERBytes() ?? []
    }

    /// A certificate in DER.
    static func certificate(_ pem: String) throws -> [UInt8] {
        try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem).toDERBytes()
    }
}

/// The bytes that a client has received.
private actor Inbox {
    private var received: [UInt8] = []
    private var parts: AsyncStream<[UInt8]>.Iterator
    nonisolated let handler: Handler

    init(_ ready: EventLoopPromise<Void>) {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        parts = stream.makeAsyncIterator()
        handler = Handler(continuation, ready)
    }

    func answer() async throws -> Answer {
        var end: Int?
        while true {
            end = headEnd
            if end != nil { break }
            guard await receive() else { throw Client.Failure(what: "closed inside a head") }
        }
        var answer = Answer(head: String(decoding: received[..<(end ?? 0)], as: UTF8.self))
        received.removeFirst(end ?? 0)
        let count = answer["Content-Length"].flatMap { Int($0) } ?? 0
        while received.count < count {
            guard await receive() else { throw Client.Failure(what: "closed inside a body") }
        }
        answer.body = String(decoding: received[..<count], as: UTF8.self)
        received.removeFirst(count)
        return answer
    }

    func frame(_ type: UInt8, on stream: UInt8) async -> [UInt8]? {
        while true {
            while received.count >= 9 {
                let count = 9 + (Int(received[0]) << 16 | Int(received[1]) << 8 | Int(received[2]))
                guard received.count >= count else { break }
                let frame = Array(received[..<count])
                received.removeFirst(count)
                if frame[3] == type, frame[8] == stream { return Array(frame[9...]) }
            }
            guard await receive() else { return nil }
        }
    }

    func isClosed() async -> Bool {
        if !received.isEmpty { return false }
        return await !receive()
    }

    func drain() async { while await receive() {} }

    private func receive() async -> Bool {
        var iterator = parts
        guard let part = await iterator.next(isolation: #isolation) else { return false }
        parts = iterator
        received += part
        return true
    }

    private var headEnd: Int? {
        guard received.count >= 4 else { return nil }
        return (4...received.count).first { received[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }

    /// Runs on the channel's event loop.
    final class Handler: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<[UInt8]>.Continuation
        private let ready: EventLoopPromise<Void>

        init(_ continuation: AsyncStream<[UInt8]>.Continuation, _ ready: EventLoopPromise<Void>) {
            self.continuation = continuation
            self.ready = ready
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case TLSUserEvent.handshakeCompleted = event { ready.succeed() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            ready.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            ready.fail(ChannelError.eof)
            continuation.finish()
        }
    }
}
