import NIOCore
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The client's fields about its body go to the API (rule 50.13).
@Suite struct BodyFieldTests {
    /// `{}` in gzip.
    private static let coded: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xAB, 0xAE, 5, 0, 0x43, 0xBF, 0xA6, 0xA3, 2, 0, 0, 0,
    ]
    private static let fields = "Content-Encoding: gzip\r\nContent-Range: bytes 0-21/99\r\n"

    private static func fields(of request: TransportRequest?) -> [String] {
        (request?.headers.fields ?? []).map { "\($0.name): \($0.value)".lowercased() }
            .filter { $0.hasPrefix("content-") }.sorted()
    }

    private static let sent = [
        "content-encoding: gzip", "content-range: bytes 0-21/99", "content-type: text/x",
    ]

    private static func expose(_ configuration: inout GatewayConfiguration) {
        configuration.expose = ["github": ExposeRule(methods: ["GET", "POST"])]
    }

    @Test(
        arguments: ["Content-Length: 22\r\n", "Transfer-Encoding: chunked\r\n"], [[], ["Content-Encoding"]])
    func `50.13 A body goes along as it is, with its coding and which part it is`(
        length: String, forwarded: [String]
    ) async throws {
        try await World.run(
            {
                Self.expose(&$0)
                $0.forwardedHeaders = forwarded + ["Content-Type"]
            }, automatic: { _ in .success(.stub("[1]")) }
        ) { world, site in
            let client = try site.connect()
            let isChunked = length.hasPrefix("T")
            let head = "POST /github/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x\r\n"
            try client.send("\(head)\(length)\(Self.fields)\r\n" + (isChunked ? "16\r\n" : ""))
            try client.send(Self.coded)
            if isChunked { try client.send("\r\n0\r\n\r\n") }
            #expect(try client.answer().status == 200)
            #expect(await world.transport.requests.last?.body == Self.coded)
            #expect(await Self.fields(of: world.transport.requests.last) == Self.sent)
            // Without a body these fields don't go along.
            try client.send("POST /github/a HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n\r\n")
            #expect(try client.answer().status == 200)
            let named = forwarded.isEmpty ? [] : ["content-encoding: gzip"]
            #expect(await Self.fields(of: world.transport.requests.last) == named)
        }
    }

    @Test func `50.13 So does one that is not held`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head(Self.fields + "Content-Length: 100000"))
            BodyFlow.send(client) { send in _ = send(Array(repeating: 1, count: 100_000)) }
            let pipe = try await BodyFlow.pipe(world)
            #expect(await Self.fields(of: world.transport.requests.last) == Self.sent)
            #expect(await BodyFlow.take(pipe).count == 100_000)
            await world.reply("[1]")
            #expect(try client.answer().status == 200)
        }
    }

    @Test func `50.13 So does one of a stream of HTTP 2`() async throws {
        try await MultiplexingTests().run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let fields = [
                ("content-type", "text/x"), ("content-encoding", "gzip"), ("content-range", "bytes 0-21/99"),
            ]
            let answer = try await client.ask(
                MultiplexedClient.head("POST", "/github/a", fields), body: [Self.coded])
            #expect(answer.status == 200)
            #expect(await world.transport.requests.last?.body == Self.coded)
            #expect(await Self.fields(of: world.transport.requests.last) == Self.sent)
        }
    }

    private final class Got: Sendable {
        let request = Mutex<ServedRequest?>(nil)
    }

    @Test func `50.13 Limits count the bytes that come, and a route gets them as they are`() async throws {
        let got = Got()
        try await World.run({
            Self.expose(&$0)
            $0.limits.maxBodyBytes = Self.coded.count
            $0.routes = [
                GatewayRoute(method: "POST", template: "/own", expirationSeconds: nil) { request, done in
                    got.request.withLock { $0 = request }
                    done(.success(.content(Entity(content: .value([1]), timestamp: 0))))
                }
            ]
        }) { world, site in
            let client = try site.connect()
            let head = "Host: localhost\r\nContent-Type: application/json\r\n\(Self.fields)"
            let length = Self.coded.count
            try client.send("POST /own HTTP/1.1\r\n\(head)Content-Length: \(length)\r\n\r\n")
            try client.send(Self.coded)
            #expect(try client.answer().status == 200)
            let request = try #require(got.request.withLock { $0 })
            #expect(request.body.bytesInMemory == Self.coded && request.headers["Content-Encoding"] == "gzip")
            try client.send("POST /github/a HTTP/1.1\r\n\(head)Content-Length: \(length + 1)\r\n\r\n")
            #expect(try client.answer().status == 413)
            #expect(await world.transport.requests.isEmpty)
        }
    }
}
