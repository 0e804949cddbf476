import NIOCore
import NIOEmbedded
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Answers that are sent at once, and answers that wait for others or for their client.
@Suite struct AnswerSocketTests {
    /// A different body for each target.
    private static func body(_ target: Substring) -> String { String(repeating: "\(target) ", count: 4000) }

    private static func reply(_ request: TransportRequest) -> TransportResult {
        let target = request.url.split(separator: "/").last ?? ""
        return .success(
            TransportResponse(
                status: 200, headers: Headers([("Content-Type", "text/plain; charset=utf-8")]),
                body: Array((target == "large" ? PacedAnswerTests.long : body(target)).utf8)))
    }

    private static func request(_ target: Substring, _ method: String = "GET") -> String {
        "\(method) /github/\(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    @Test func `answers arrive whole and in their order at a client that takes them late`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { _, site in
            let targets: [Substring] = ["a", "b", "c"]
            for target in targets {
                #expect(try site.asking("/github/\(target)").answer().body == Self.body(target))
            }
            // More bytes than all buffers between both ends hold.
            let order = (0..<1200).map { targets[$0 * $0 % 7 % 3] }
            let together = try Client(port: site.port, receiveBuffer: 4096)
            let sender = together.sender
            let sent = Task.detached { order.allSatisfy { sender.send(Array(Self.request($0).utf8)) } }
            for target in order { #expect(try together.answer().body == Self.body(target)) }
            #expect(await sent.value)

            let (alone, other) = (try Client(port: site.port, receiveBuffer: 4096), try site.connect())
            for target in order {
                try alone.send(Self.request(target))
                // The event loop answers in the order of arrival.
                try other.send(Self.request(target))
                #expect(try other.answer().status == 200)
            }
            for target in order { #expect(try alone.answer().body == Self.body(target)) }
        }
    }

    @Test func `hits, misses, heads, long answers and requests sent together keep their order`() async throws
    {
        try await World.run(automatic: Self.reply) { _, site in
            #expect(try site.asking("/github/hit").answer().status == 200)
            #expect(try site.asking("/github/large").answer().status == 200)
            let client = try Client(port: site.port)
            for round in 0..<20 {
                let miss: Substring = "miss\(round)"
                let targets: [Substring] = ["hit", miss, "hit", "large", "hit", "hit", miss]
                let together = targets.map { Self.request($0) + Self.request($0, "HEAD") }
                if round % 2 == 0 {
                    try client.send(together.joined())
                } else {
                    for text in together { try client.send(text) }
                }
                for target in targets {
                    let body = target == "large" ? PacedAnswerTests.long : Self.body(target)
                    let answer = try client.answer()
                    #expect(answer.body == body)
                    #expect(try client.answer(isHead: true)["ETag"] == answer["ETag"])
                }
            }
        }
    }

    @Test func `an answer for a client that is gone reaches nobody else`() async throws {
        try await World.run({ $0.threads = 1 }) { world, site in
            // Without another waiting client, the request would be cancelled when the only client goes.
            let left = try site.asking("/github/a")
            do {
                let gone = try site.asking("/github/a")
                await world.waitForReads(2)
                withExtendedLifetime(gone) {}
            }
            // The system gives the number of a closed socket to the next one.
            let others = try (0..<8).map { _ in try Client(port: site.port) }
            for other in others {
                try other.send(Self.request("-").replacing("/github/-", with: "/-/health"))
                #expect(try other.answer().status == 200)
            }
            await world.reply("[1]")
            #expect(try left.answer().body == "[1]")
            for other in others {
                try other.send(Self.request("a"))
                let answer = try other.answer()
                #expect(answer.body == "[1]")
                #expect(answer["Cache-Status"] == "resthost; hit; ttl=30")
            }
        }
    }

    @Test func `a channel without a socket has none to write to`() throws {
        let channel = EmbeddedChannel(handler: PacedWriter())
        let context = try channel.pipeline.syncOperations.context(handlerType: PacedWriter.self)
        #expect(AnswerSocket(of: context) == nil)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
