import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// An HTTP/2 server on the loopback that writes its own frames (RFC 9113 4.1). The test decides its reaction
/// to each stream. Its certificate is that of ``TestCertificates``.
final class FramePeer: Sendable {
    /// How the server ends a stream after its request.
    enum Reaction: Sendable, CaseIterable {
        /// 200 without a body.
        case answer
        /// RST_STREAM with REFUSED_STREAM.
        case refuse
        /// Sends a GOAWAY that excludes the stream.
        case goAway
        /// Sends such a GOAWAY, then closes the connection.
        case leave
        /// Closes the connection without a frame.
        case cut
        /// Leaves the request without an answer.
        case hold
    }

    struct Stream: Sendable {
        /// The number of the connection, from 1, in the order in which they were accepted.
        let connection: Int
        let id: UInt32
        /// GET or POST; empty for other methods.
        let method: String
    }

    private let channel: any Channel
    private let log: StreamLog

    init(_ react: @escaping @Sendable (Stream) -> Reaction) async throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.server.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(TestCertificates.serverKey.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let log = StreamLog()
        self.log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context),
                        FrameHandler(log.nextConnection(), log, react),
                    ])
                }
            }.bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    var baseURL: String { "https://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// All streams so far, in their order.
    var streams: [Stream] { log.streams }
}

private final class StreamLog: Sendable {
    private let state = Mutex<(connections: Int, streams: [FramePeer.Stream])>((0, []))

    var streams: [FramePeer.Stream] { state.withLock { $0.streams } }

    func nextConnection() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    func append(_ stream: FramePeer.Stream) { state.withLock { $0.streams.append(stream) } }
}

/// Runs on the event loop of its connection.
private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let number: Int
    private let log: StreamLog
    private let react: @Sendable (FramePeer.Stream) -> FramePeer.Reaction
    private var received: [UInt8] = []
    private var hasPreface = false
    /// The methods of streams whose requests have not ended.
    private var methods: [UInt32: String] = [:]

    private static let prefaceBytes = 24

    init(
        _ number: Int, _ log: StreamLog, _ react: @escaping @Sendable (FramePeer.Stream) -> FramePeer.Reaction
    ) {
        (self.number, self.log, self.react) = (number, log, react)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(unwrapInboundIn(data).readableBytesView)
        if !hasPreface {
            guard received.count >= Self.prefaceBytes else { return }
            received.removeFirst(Self.prefaceBytes)
            hasPreface = true
            send(4, 0, 0, [], context)
        }
        while received.count >= 9 {
            let count = 9 + (Int(received[0]) << 16 | Int(received[1]) << 8 | Int(received[2]))
            guard received.count >= count else { return }
            let frame = Array(received[..<count])
            received.removeFirst(count)
            take(frame, context)
        }
    }

    private func take(_ frame: [UInt8], _ context: ChannelHandlerContext) {
        let (type, flags, content) = (frame[3], frame[4], frame[9...])
        let id: UInt32 = frame[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
        switch type {
        case 1:
            // The block follows the priority, if there is one; :method is its first field (RFC 7541 A).
            let first = content.dropFirst(flags & 0x20 == 0 ? 0 : 5).first
            methods[id] = first == 0x82 ? "GET" : first == 0x83 ? "POST" : ""
        case 0: break
        case 4 where flags & 1 == 0: return send(4, 1, 0, [], context)
        default: return
        }
        guard flags & 1 != 0, let method = methods.removeValue(forKey: id) else { return }
        let stream = FramePeer.Stream(connection: number, id: id, method: method)
        log.append(stream)
        switch react(stream) {
        case .answer: send(1, 5, id, [0x88], context)
        case .refuse: send(3, 0, id, [0, 0, 0, 7], context)
        case .goAway: goAway(before: id, context)
        case .leave:
            goAway(before: id, context)
            context.close(promise: nil)
        case .cut: context.close(promise: nil)
        case .hold: break
        }
    }

    private func goAway(before id: UInt32, _ context: ChannelHandlerContext) {
        send(7, 0, 0, Self.bytes(of: id > 1 ? id - 2 : 0) + [0, 0, 0, 0], context)
    }

    private func send(
        _ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8], _ context: ChannelHandlerContext
    ) {
        var frame = Array(Self.bytes(of: UInt32(payload.count)).dropFirst())
        frame += [type, flags]
        frame += Self.bytes(of: stream) + payload
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
