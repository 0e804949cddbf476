import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Bodies that a route reads as they arrive (rule 54.7), over real sockets.
@Suite struct RouteBodyTests {
    /// Gives the pipe of each body to the test, which then lets the route answer.
    @EngineActor
    final class Reader {
        private(set) var bodies: [ServedBody] = []
        private var completions: [@EngineActor (Result<ServedAnswer, RequestError>) -> Void] = []

        nonisolated init() {}

        nonisolated func route(_ template: String = "/up", streams: Bool = true) -> GatewayRoute {
            GatewayRoute(
                method: "POST", template: template, expirationSeconds: nil, streamsBody: streams
            ) { [self] request, completion in
                bodies.append(request.body)
                completions.append(completion)
            }
        }

        func answer(_ text: String = "done") {
            completions.removeFirst()(
                .success(.content(Entity(content: .text(text), contentType: "text/plain", timestamp: 0))))
        }

        func pipe(_ number: Int) throws -> BodyPipe {
            guard bodies.count >= number, case .arriving(let pipe, _) = bodies[number - 1] else {
                throw Client.Failure(what: "the body was held")
            }
            return pipe
        }
    }

    private func run(
        _ streams: Bool = true, _ body: (Reader, Site) async throws -> Void
    ) async throws {
        let reader = Reader()
        try await BodyFlow.run({ $0.routes = [reader.route(streams: streams)] }) { _, site in
            try await body(reader, site)
        }
    }

    private func pipe(_ reader: Reader, _ number: Int = 1) async throws -> BodyPipe {
        await yielding(until: "the route begins") { await reader.bodies.count >= number }
        return try await reader.pipe(number)
    }

    @Test func `54.7 A route begins with the head, and sets the pace of the body`() async throws {
        try await run { reader, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked", "/up"))
            let pipe = try await pipe(reader)
            if case .bytes = pipe.next() { Issue.record("nothing was sent yet") }
            try client.send("3\r\nabc\r\n")
            #expect(await BodyFlow.take(pipe, most: 3).count == 3)
            BodyFlow.send(client) { send in
                let piece = Array("3e8\r\n".utf8) + Array(repeating: UInt8(1), count: 1000) + [13, 10]
                for _ in 0..<8000 where !send(piece) { return }
                _ = send(Array("0\r\n\r\n".utf8))
            }
            let taken = await BodyFlow.take(pipe)
            #expect(taken.isWhole && taken.count == 8_000_000 && taken.most < 1 << 20)
            await reader.answer()
            #expect(try client.answer().body == "done")
            // The connection goes on after the body.
            try client.send(BodyFlow.head("Content-Length: 2", "/up") + "{}")
            #expect(await BodyFlow.take(try await self.pipe(reader, 2)).isWhole)
            await reader.answer("again")
            #expect(try client.answer().body == "again")
        }
    }

    @Test func `54.7 Without the option only a body that is too long to be held is read as it arrives`()
        async throws
    {
        try await run(false) { reader, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 3", "/up") + "abc")
            await yielding(until: "the route begins") { await reader.bodies.count == 1 }
            #expect(await reader.bodies.last?.bytesInMemory == Array("abc".utf8))
            await reader.answer()
            #expect(try client.answer().status == 200)
            for (number, field) in [(2, "Content-Length: 100000"), (3, "Transfer-Encoding: chunked")] {
                try client.send(BodyFlow.head(field, "/up"))
                BodyFlow.send(client) { send in
                    let bytes = Array(repeating: UInt8(1), count: 100_000)
                    let isChunked = number == 3
                    _ = send(
                        isChunked ? Array("186a0\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8) : bytes)
                }
                let taken = await BodyFlow.take(try await pipe(reader, number))
                #expect(taken.isWhole && taken.count == 100_000)
                guard case .arriving(_, isTooLong: true)? = await reader.bodies.last else {
                    Issue.record("the route doesn't know that the body is too long to be held")
                    return
                }
                await reader.answer()
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test func `54.7 An answer before the body's end goes out, and ends the connection`() async throws {
        try await run { reader, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 100000\r\nExpect: 100-continue", "/up"))
            let pipe = try await pipe(reader)
            await reader.answer("no")
            let answer = try client.answer()
            #expect(answer.body == "no" && answer["Connection"] == "close" && !pipe.isSpent)
        }
    }

    @Test func `54.7 A body that breaks off is never complete`() async throws {
        try await run { reader, site in
            var client: Client? = try site.connect()
            try client?.send(BodyFlow.head("Content-Length: 10", "/up") + "abc")
            let pipe = try await pipe(reader)
            #expect(await BodyFlow.take(pipe, most: 3).count == 3)
            client = nil
            var last = BodyPipe.Step<[UInt8]>.nothing
            await yielding(until: "the body breaks off") {
                last = pipe.next()
                if case .nothing = last { return false }
                return true
            }
            guard case .broken = last else {
                Issue.record("\(last)")
                return
            }
            await reader.answer()
        }
    }

    @Test func `54.7 More than the limit is refused`() async throws {
        try await run { reader, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: \((1 << 30) + 1)", "/up"))
            #expect(try client.answer().status == 413)
            #expect(await reader.bodies.isEmpty)
        }
    }

    @Test func `54.7 The body of an HTTP/2 stream is read as it arrives`() async throws {
        let reader = Reader()
        try await MultiplexingTests().run(
            {
                $0.limits.maxStreamedBodyBytes = 1 << 30
                $0.routes = [reader.route()]
            }, automatic: nil
        ) { _, site in
            let client = try await MultiplexedClient(port: site.port)
            let part = Array(repeating: UInt8(1), count: 64 << 10)
            let (answer, _) = try await client.begin(
                MultiplexedClient.head("POST", "/up"), body: Array(repeating: part, count: 32))
            let taken = await BodyFlow.take(try await pipe(reader))
            #expect(taken.isWhole && taken.count == 2 << 20 && taken.most < 1 << 20)
            await reader.answer()
            #expect(try await answer.get().body == "done")
        }
    }
}
