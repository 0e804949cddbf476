import CurlTransport
import NIOCore
import NIOPosix
import NIOSSL
import RestEngine
import TestSupport
import Testing

/// Connections of TLS that end without close_notify (guide Writing a script, Services).
@EngineActor
struct UnclosedTLSTests {
    private let folder = TemporaryFolder()

    /// - Parameter rest: The response behind its status line.
    private func answer(_ rest: String) async throws -> TransportResult {
        folder.write("authority.pem", TestCertificates.authority)
        var options = TransportOptions()
        options.http2 = false
        options.caFile = "\(folder.path)/authority.pem"
        let server = try await UnclosedTLSServer("HTTP/1.1 200 OK\r\n\(rest)")
        defer { withExtendedLifetime(server) {} }
        return await CurlTransport(options: options).answer(to: TransportRequest(url: server.url))
    }

    @Test func `a body without a length is whole`() async throws {
        let response = try await answer("\r\nbody").get()
        #expect(response.status == 200 && response.body == Array("body".utf8))
    }

    @Test(arguments: ["Content-Length: 5\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"])
    func `a body that says its end and hasn't reached it is cut`(rest: String) async throws {
        #expect(try await answer(rest).error?.code == .connectionFailed)
    }
}

/// Answers with the same bytes, and closes the socket without a word of TLS.
private final class UnclosedTLSServer: Sendable {
    private let channel: any Channel

    init(_ answer: String) async throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.server.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(TestCertificates.serverKey.utf8), format: .pem)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        SocketCloser(), NIOSSLServerHandler(context: context), OneAnswer(answer),
                    ])
                }
            }.bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    var url: String { "https://127.0.0.1:\(channel.localAddress?.port ?? 0)/" }
}

private struct Cut {}

/// Closes the socket below the TLS handler, which would say close_notify.
private final class SocketCloser: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        if event is Cut { context.close(promise: promise) }
    }
}

private final class OneAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String
    private var isAsked = false

    init(_ answer: String) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAsked else { return }
        isAsked = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        // The bytes are with the socket by now, because it is writable.
        context.triggerUserOutboundEvent(Cut(), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
