import NIOCore
import NIOEmbedded
import NIOHPACK
import Platform
package import RestEngine
import Synchronization

/// A gateway without sockets: its one event loop runs on the engine's thread when its owner says so. Requests
/// go through the same access rules, hooks, routes and connections as those of a ``Gateway``.
@EngineActor
package final class LocalGateway: LocalServer {
    /// The time that the event loop sees.
    private final class Time: Sendable {
        let values: Mutex<(uptime: Double, now: Double)>
        init(_ uptime: Double, _ now: Double) { values = Mutex((uptime, now)) }
    }

    private let eventLoop = EmbeddedEventLoop()
    private let time: Time
    private let loop: GatewayLoop
    private let listener: ListenerState
    private var channels: [ObjectIdentifier: EmbeddedChannel] = [:]

    /// Checks the configuration.
    package init(
        _ configuration: GatewayConfiguration, directory: any GatewayDirectory, uptime: Double, now: Double
    ) throws(GatewayError) {
        let time = Time(uptime, now)
        self.time = time
        var configuration = configuration
        configuration.uptime = { time.values.withLock { $0.uptime } }
        configuration.showsScriptErrors = true
        configuration.clock = { time.values.withLock { $0.now } }
        let engine = EngineClient(
            directory: directory, control: nil, rules: GatewayRules(try GatewayRules.Access(configuration)),
            configuration, metrics: GatewayMetrics())
        loop = GatewayLoop(
            eventLoop: eventLoop, engine: engine, configuration: configuration,
            room: ConnectionRoom(configuration))
        listener = ListenerState(configuration.listen.first ?? "")
    }

    package func send(_ request: LocalRequest) throws(LocalRequestError) -> LocalAnswer {
        var bytes = ByteBuffer()
        var translated = TranslatedRequest()
        var headers = HPACKHeaders([
            (":method", request.method), (":scheme", "http"), (":path", request.target),
            (":authority", request.headers["Host"] ?? "localhost"),
        ])
        for field in request.headers.fields where field.name.lowercased() != "host" {
            headers.add(name: field.name.lowercased(), value: field.value)
        }
        if !request.body.isEmpty, !request.headers.contains("Content-Length") {
            headers.add(name: "content-length", value: "\(request.body.count)")
        }
        guard translated.begin(headers, isWhole: request.body.isEmpty, &bytes) else {
            throw LocalRequestError("the method, the path or a header can't be sent")
        }
        if !request.body.isEmpty { translated.add(ByteBuffer(bytes: request.body), &bytes) }
        translated.end(&bytes)
        let answer = LocalAnswer()
        let side = SecureSide(ofStreamOn: SecureSide(authority: nil))
        let connection = ConnectionHandler(loop: loop, listener: listener, secure: side)
        if let name = request.clientName {
            guard let client = loop.rules.access.client(named: name, at: listener.text) else {
                throw LocalRequestError("the gateway knows no client with the name '\(name)'")
            }
            connection.assumed = client
        }
        let channel = EmbeddedChannel(
            handlers: [AnswerCollector(answer), connection], loop: eventLoop)
        if let address = request.clientAddress {
            guard let known = try? SocketAddress(ipAddress: address, port: 1) else {
                throw LocalRequestError("'\(address)' is no address in digits")
            }
            channel.remoteAddress = known
        }
        let id = ObjectIdentifier(channel)
        channels[id] = channel
        answer.onClose { [weak self] in self?.close(id) }
        channel.pipeline.fireChannelActive()
        channel.pipeline.fireChannelRead(bytes)
        channel.pipeline.fireChannelReadComplete()
        return answer
    }

    private func close(_ id: ObjectIdentifier) {
        channels.removeValue(forKey: id)?.close(promise: nil)
    }

    package func run(uptime: Double, now: Double) -> Bool {
        let passed = time.values.withLock { values in
            defer { values = (uptime, now) }
            return uptime - values.uptime
        }
        if passed > 0 { eventLoop.advanceTime(by: .nanoseconds(Int64(passed * 1e9))) }
        let hadMail = loop.mailbox.hasMail
        eventLoop.run()
        return hadMail
    }

    package func stop() {
        for channel in channels.values { channel.close(promise: nil) }
        channels = [:]
        eventLoop.run()
        loop.mailbox.close()
    }
}

/// Collects the answer on a channel, whose head comes as a value as on a stream of HTTP/2.
private final class AnswerCollector: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let answer: LocalAnswer

    init(_ answer: LocalAnswer) { self.answer = answer }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event {
        case let head as ResponseHead:
            if head.status >= 200 {
                let pairs = head.list(indexing: .nonIndexable).map { ($0.name, $0.value) }
                let headers = Headers(pairs.filter { !$0.0.hasPrefix(":") })
                answer.begin(head.status, headers)
            }
        case is BrokenAnswer: answer.end(broken: true)
        default: return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = Array(unwrapOutboundIn(data).readableBytesView)
        answer.receive(bytes)
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        answer.end()
        context.close(mode: .all, promise: promise)
    }
}
