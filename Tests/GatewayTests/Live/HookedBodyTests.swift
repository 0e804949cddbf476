import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Hooks of requests whose bodies are forwarded or read as they arrive (rules 54.7 and 69 with 72).
@Suite struct HookedBodyTests {
    private static let long = [UInt8](repeating: 1, count: 1_000_000)

    @Test func `69.1 72.3 a body that is too long to be held waits for the hook, and goes to the API`()
        async throws
    {
        let held = HeldHook()
        try await BodyFlow.run({ $0.hooks = [held.hook(), HeldHook.seen] }) { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: \(Self.long.count)"))
            BodyFlow.send(client) { send in _ = send(Self.long) }
            await held.seen()
            #expect(await world.transport.requests.isEmpty)
            await held.goOn(adding: ("X-Tenant", "t"))
            let taken = await BodyFlow.take(try await BodyFlow.pipe(world))
            #expect(taken.isWhole && taken.count == Self.long.count && taken.most < 1 << 20)
            #expect(await world.transport.requests.last?.headers["X-Tenant"] == "t")
            await world.reply("[1]")
            let answer = try client.answer()
            #expect(answer.status == 200 && answer.body == "[1]" && answer["X-Seen"] == "- 200")
        }
    }

    @Test func `72.1 a hook that answers reads no body`() async throws {
        let held = HeldHook()
        try await BodyFlow.run({ $0.hooks = [held.hook(), HeldHook.seen] }) { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: \(Self.long.count)\r\nExpect: 100-continue"))
            await held.seen()
            await held.answer("no")
            let answer = try client.answer()
            #expect(answer.status == 200 && answer.body == "no" && answer["X-Seen"] == "- 200")
            #expect(try client.isClosed())
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test func `69.2 72.4 77.3 a body from the API follows the head that hooks have changed`() async throws {
        let held = HeldHook()
        try await BodyFlow.run({ $0.hooks = [held.hook(), HeldHook.seen] }) { world, site in
            let client = try site.connect()
            for user in ["ada", "bob"] {
                try client.send("GET /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await held.seen(user == "ada" ? 1 : 2)
                await held.goOn(in: user)
                await world.transport.waitForRequests(user == "ada" ? 1 : 2)
                let stream = await world.streamed()
                await stream.open(200, type: "application/x-tar", headers: [("Content-Length", "10")])
                _ = await stream.send("01234")
                let head = try client.headAlone()
                #expect(head.status == 200 && head["X-Seen"] == "\(user) 200")
                #expect(head["Cache-Control"] == "no-store" && head["Content-Length"] == "10")
                #expect(try client.bytes(5) == "01234")
                _ = await stream.send("56789")
                await stream.end()
                await world.settle()
                #expect(try client.bytes(5) == "56789")
            }
        }
    }

    @Test func `69.2 72.4 a hook of the head that fails ends the body, too`() async throws {
        let failing = GatewayHook(
            template: "/**", methods: nil,
            action: .after { _, _, completion in
                completion(.failure(RequestError(cause: .scriptError(.init(message: "no")), timestamp: 0)))
            })
        try await BodyFlow.run({ $0.hooks = [failing] }) { world, site in
            let client = try site.asking("/github/files/a")
            await world.transport.waitForRequests(1)
            let stream = await world.streamed()
            await stream.open(200, type: "application/x-tar")
            _ = await stream.send("01234")
            #expect(try client.answer().status == 500)
            await yielding(until: "the API is left") { await stream.isCancelled }
        }
    }

    // MARK: Bodies that routes read

    @Test func `54.7 72.1 a route reads its body once the hook has run`() async throws {
        let (reader, held) = (RouteBodyTests.Reader(), HeldHook())
        try await BodyFlow.run({
            $0.routes = [reader.route()]
            $0.hooks = [held.hook(), HeldHook.seen]
        }) { _, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked", "/up") + "3\r\nabc\r\n")
            await held.seen()
            #expect(await reader.bodies.isEmpty)
            await held.goOn(in: "ada")
            await yielding(until: "the route begins") { await reader.bodies.count == 1 }
            let pipe = try await reader.pipe(1)
            #expect(await BodyFlow.take(pipe, most: 3).count == 3)
            try client.send("2\r\nde\r\n0\r\n\r\n")
            let rest = await BodyFlow.take(pipe)
            #expect(rest.isWhole && rest.count == 2)
            await reader.answer()
            let answer = try client.answer()
            #expect(answer.body == "done" && answer["X-Seen"] == "ada 200")
        }
    }

    @Test func `54.7 72.1 a client that leaves while the hook waits begins no route`() async throws {
        let (reader, held) = (RouteBodyTests.Reader(), HeldHook())
        try await BodyFlow.run({
            $0.routes = [reader.route()]
            $0.hooks = [held.hook()]
        }) { _, site in
            var client: Client? = try site.connect()
            try client?.send(BodyFlow.head("Content-Length: 10", "/up") + "abc")
            await held.seen()
            client = nil
            await yielding(until: "it is gone") { site.gateway.connections == 0 }
            await held.goOn()
            #expect(try site.get("/-/health").status == 200)
            #expect(await reader.bodies.isEmpty)
        }
    }

    // MARK: Clients that leave

    @Test func `52.4 72.1 77.3 a client that leaves while the hook waits asks no API`() async throws {
        let (held, ends) = (HeldHook(), AccessList())
        try await BodyFlow.run({
            $0.hooks = [held.hook(), HeldHook.seen]
            $0.accessLog = ends.append
        }) { world, site in
            for partition in [nil, "ada"] {
                var client: Client? = try site.asking("/github/a")
                #expect(client != nil)
                await held.seen(partition == nil ? 1 : 2)
                client = nil
                await yielding(until: "it is gone") { site.gateway.connections == 0 }
                await held.goOn(in: partition)
                await world.settle()
            }
            #expect(await world.transport.requests.isEmpty)
            #expect(ends.lines == Array(repeating: "GET /github/a 499 0", count: 2))
        }
    }

    @Test func `52.3 52.4 77.3 a load behind a hook belongs to the clients of its partition`() async throws {
        let held = HeldHook()
        try await BodyFlow.run({ $0.hooks = [held.hook()] }) { world, site in
            var clients: [Client?] = []
            for (number, user) in ["ada", "ada", "bob"].enumerated() {
                clients.append(try site.asking("/github/a"))
                await held.seen(number + 1)
                await held.goOn(in: user)
            }
            await world.transport.waitForRequests(2)
            await world.waitForReads(3)
            // The load goes on for the other client, and ends with the last one.
            clients[0] = nil
            await yielding(until: "it is gone") { site.gateway.connections == 2 }
            #expect(await world.transport.openCalls == 2)
            clients[2] = nil
            await world.transport.waitForOpenCalls(1)
            await world.reply("[1]")
            let answer = try clients[1]?.answer()
            #expect(answer?.body == "[1]" && answer?["Cache-Status"]?.contains("collapsed") == true)
        }
    }
}
