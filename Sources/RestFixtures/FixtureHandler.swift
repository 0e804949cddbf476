import NIOCore
import NIOHTTP1
import RestEngine

/// One connection. The pipeline before it hands over a request only when the one before is answered.
final class FixtureHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let site: FixtureSite
    private let maximumBody: Int
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var waiting: Scheduled<Void>?

    init(_ site: FixtureSite, maximumBody: Int) {
        self.site = site
        self.maximumBody = maximumBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            isTooLarge = false
            if head.headers.first(name: "Expect")?.lowercased() == "100-continue" {
                let head = HTTPResponseHead(version: head.version, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            }
        case .body(let buffer):
            isTooLarge = isTooLarge || body.count + buffer.readableBytes > maximumBody
            if !isTooLarge { body.append(contentsOf: buffer.readableBytesView) }
        case .end:
            guard let head else { return }
            answer(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard !isTooLarge else { return write(.message(413), to: head, context) }
        let headers = Headers(head.headers.map { ($0.name, $0.value) })
        let response = site.respond(
            to: FixtureRequest(method: head.method.rawValue, target: head.uri, headers: headers, body: body))
        body = []
        guard response.delay > 0 else { return write(response, to: head, context) }
        let delay = TimeAmount.nanoseconds(Int64(response.delay * 1e9))
        // A handler is called on its channel's event loop.
        waiting = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.write(response, to: head, context)
        }
    }

    private func write(
        _ response: FixtureResponse, to request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        var head = HTTPResponseHead(version: request.version, status: .init(statusCode: response.status))
        for field in response.headers.fields { head.headers.add(name: field.name, value: field.value) }
        let keepsAlive = request.isKeepAlive && !isTooLarge
        if !keepsAlive {
            head.headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !response.body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: response.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        // A handler is called on its channel's event loop, whose promise this is.
        if !keepsAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
}
