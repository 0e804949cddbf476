import NIOCore
import NIOEmbedded
import RestEngine
import Testing

@testable import Gateway

/// Large answers that let other connections run between their parts.
@Suite struct PacedAnswerTests {
    static let long = String(repeating: "0123456789abcde\n", count: 150_000)

    @Test func `the bytes of one tick are limited, and the next one goes on`() throws {
        let writer = PacedWriter()
        let channel = EmbeddedChannel(handler: writer)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.write(ByteBuffer(repeating: 7, count: 1200 << 10), promise: promise)
        channel.write(ByteBuffer(string: "next"), promise: nil)
        channel.flush()
        var turns: [Int] = []
        while writer.waitingBytes > 0 || turns.isEmpty {
            var count = 0
            while let part = try channel.readOutbound(as: ByteBuffer.self) { count += part.readableBytes }
            turns.append(count)
            // While a tick is planned, a flush sends no more bytes.
            channel.flush()
            #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
            channel.embeddedEventLoop.advanceTime(by: .microseconds(10))
        }
        while let part = try channel.readOutbound(as: ByteBuffer.self) { turns.append(part.readableBytes) }
        #expect(turns.prefix(2) == [512 << 10, 512 << 10])
        #expect(turns.reduce(0, +) == (1200 << 10) + 4)
        try promise.futureResult.wait()
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `events that pass the writer go out with the next flush`() throws {
        final class EventWriter: ChannelOutboundHandler {
            typealias OutboundIn = ByteBuffer
            typealias OutboundOut = ByteBuffer

            func triggerUserOutboundEvent(
                context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
            ) {
                context.write(wrapOutboundOut(ByteBuffer(string: "\(event)")), promise: promise)
            }
        }
        let channel = EmbeddedChannel(handlers: [EventWriter(), PacedWriter()])
        channel.triggerUserOutboundEvent("head", promise: nil)
        channel.flush()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "head"))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `a connection that ends while a tick is planned ends once`() throws {
        let channel = EmbeddedChannel(handler: PacedWriter())
        let lost = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(ByteBuffer(repeating: 7, count: 2 << 20), promise: lost)
        channel.pipeline.fireChannelInactive()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(throws: ChannelError.ioOnClosedChannel) { try lost.futureResult.wait() }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `large answers arrive whole and in their order, beside small ones, until their end`()
        async throws
    {
        try await World.run(automatic: { request in
            .success(
                TransportResponse(
                    status: 200, headers: Headers([("Content-Type", "text/plain; charset=utf-8")]),
                    body: Array((request.url.hasSuffix("large") ? Self.long : "small").utf8)))
        }) { _, site in
            let client = try site.asking("/github/large")
            #expect(try client.answer().body == Self.long)
            // The content is fresh, so the engine isn't asked.
            func ask(_ target: String, _ field: String = "") throws {
                try client.send("GET /github/\(target) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
            }
            for target in ["large", "small", "large", "small"] { try ask(target) }
            for body in [Self.long, "small", Self.long, "small"] { #expect(try client.answer().body == body) }
            let other = try site.asking("/github/small")
            #expect(try other.answer().body == "small")
            // The answer ends with its connection.
            try ask("large", "Connection: close\r\n")
            #expect(try client.answer().body == Self.long)
            #expect(try client.isClosed())
        }
    }
}
