internal import NIOCore

/// One connection: reads replies, greets the server, and tells its ``RedisDriver``. Event loop only.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Nil as soon as no event of this connection counts.
    weak var driver: RedisDriver?
    private var reader: RESPReader
    private var greeting: RedisGreeting
    private var isGreeted = false
    private var context: ChannelHandlerContext?

    init(_ driver: RedisDriver, _ greeting: RedisGreeting, _ limits: RESPReader.Limits) {
        self.driver = driver
        reader = RESPReader(limits: limits)
        self.greeting = greeting
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        for command in greeting.begin() { write(command.bytes) }
        flush()
        context.fireChannelActive()
    }

    func write(_ bytes: [UInt8]) {
        guard let context else { return }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    func flush() { context?.flush() }

    func close() {
        driver = nil
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.feed(unwrapInboundIn(data).readableBytesView)
        do throws(RESPReader.Fault) {
            while driver != nil, let message = try reader.next() { receive(message) }
        } catch { fail(RedisFailure(.protocol, error.description)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        driver?.readEnded()
        context.fireChannelReadComplete()
    }

    private func receive(_ message: RESPReader.Message) {
        switch message {
        case .push(let values): driver?.received(push: values)
        case .reply(let value) where isGreeted: driver?.received(value)
        case .reply(let value):
            switch greeting.receive(value) {
            case .wait: break
            case .send(let commands):
                for command in commands { write(command.bytes) }
                flush()
            case .failed(let failure): fail(failure)
            case .named(let host, let port): driver?.named(self, host: host, port: port)
            case .done(let version):
                isGreeted = true
                driver?.connected(self, version: version)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(RedisFailure(.unreachable, "the server closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(RedisFailure(.unreachable, RedisSecurity.explain(error) ?? "the connection failed: \(error)"))
    }

    private func fail(_ failure: RedisFailure) {
        guard let driver else { return }
        close()
        driver.lost(failure)
    }
}
