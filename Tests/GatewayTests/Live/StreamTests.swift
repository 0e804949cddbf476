import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Streams of events (rules 53).
@Suite struct StreamTests {
    static func open(
        _ site: Site, _ target: String, fields: [String] = []
    ) throws -> StreamClient {
        let client = try site.connect()
        let extra = fields.map { $0 + "\r\n" }.joined()
        try client.send(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(extra)\r\n")
        return StreamClient(client)
    }

    @Test func `53.1 A stream begins with the state, and then tells what happens`() async throws {
        try await World.run { world, site in
            let stream = try Self.open(site, "/github/a")
            await world.transport.waitForRequests(1)
            let head = try stream.head()
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Cache-Control"] == "no-store")
            let state = try stream.event()
            #expect(state.name == "state")
            #expect(state.data == #"{"data":null,"error":null,"age":null,"loading":false}"#)
            let requested = try stream.event()
            #expect(requested.name == "requested")
            #expect(requested.data == #"{"age":null,"loading":true}"#)
            await world.reply(#"{"login":"o"}"#)
            let data = try stream.event()
            #expect(data.name == "new_data")
            #expect(data.data == #"{"data":{"login":"o"},"source":"network","age":0,"loading":false}"#)
            await world.override("a", content: .text("two\nlines"))
            #expect(
                try stream.event().data
                    == #"{"data":"two\nlines","content_type":"text/plain; charset=utf-8","source":"local_override","age":0,"loading":false}"#
            )
            await world.override("a", content: .bytes([0, 255]))
            #expect(try stream.event().data.hasPrefix(#"{"data":"AP8=","content_type":"#))
        }
    }

    @Test func `53.9 A stream begins within the time of its gateway, or its connection is another's`()
        async throws
    {
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.limits.requestTimeout = 1
        }
        try await World.run(set) { world, site in
            let client = try site.connect()
            do {
                let gate = Gate()
                defer { gate.open() }
                EngineLoop.shared.submit { gate.wait() }
                try client.send(
                    "GET /github/a HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
                _ = try site.get("/-/nothing")
                await site.gateway.sweep(times: 3)
                #expect(try client.answer().status == 504)
                try client.send("GET /github/b HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try site.get("/-/nothing")
            }
            await world.transport.waitForRequests(2)
            await world.waitUntilUnobserved("a")
            await world.reply("[1]")
            await world.reply("[2]")
            #expect(try client.answer().body == "[2]")
        }
    }

    @Test func `53.2 An error is reported as a problem, and the data stays`() async throws {
        try await World.run { world, site in
            await world.override("a", content: .json([1]))
            let stream = try Self.open(site, "/github/a")
            _ = try stream.head()
            #expect(try stream.event().data == #"{"data":[1],"error":null,"age":0,"loading":false}"#)
            await world.load("a")
            #expect(try stream.event().name == "requested")
            await world.reply("no", status: 503, type: "text/plain")
            let error = try stream.event()
            #expect(error.name == "failed")
            #expect(error.json?["error"]?["status"] == 503)
            let second = try Self.open(site, "/github/a")
            _ = try second.head()
            let state = try second.event()
            #expect(state.json?["data"] == [1])
            #expect(state.json?["error"]?["code"] == "http_5xx")
        }
    }

    @Test func `53.3 A client with the last id gets the missed events, or the state`() async throws {
        try await World.run { world, site in
            await world.override("a", content: .json([1]))
            let keeper = try Self.open(site, "/github/a")
            _ = try keeper.head()
            let first = try keeper.event()
            for number in 2...4 { await world.override("a", content: .json([Tree(number)])) }
            let second = try keeper.event()
            let back = try Self.open(site, "/github/a", fields: ["Last-Event-ID: \(second.id)"])
            _ = try back.head()
            #expect(try back.event().json?["data"] == [3])
            #expect(try back.event().json?["data"] == [4])
            for id in ["nonsense", "x-1", first.id + "9", ""] {
                let other = try Self.open(site, "/github/a", fields: ["Last-Event-ID: \(id)"])
                _ = try other.head()
                #expect(try other.event().name == "state")
            }
        }
    }

    @Test func `53.4 Clients that ask for patches get them if they are shorter`() async throws {
        try await World.run { world, site in
            let long = Tree(String(repeating: "x", count: 500))
            await world.override("a", content: .json(["long": long, "n": 1]))
            let patched = try Self.open(site, "/github/a?patch=1")
            let plain = try Self.open(site, "/github/a")
            for stream in [patched, plain] {
                _ = try stream.head()
                #expect(try stream.event().name == "state")
            }
            await world.override("a", content: .json(["long": long, "n": 2]))
            let patch = try patched.event()
            #expect(patch.name == "patch")
            #expect(patch.data == #"[{"op":"replace","path":"/n","value":2}]"#)
            #expect(try plain.event().name == "new_data")
            await world.override("a", content: .json([1]))
            #expect(try patched.event().name == "new_data")
        }
    }

    @Test func `53.5 A client that doesn't take its events gets the newest state when it does`() async throws
    {
        try await World.run { world, site in
            let stream = try Self.open(site, "/github/a")
            await world.transport.waitForRequests(1)
            let big = Tree(String(repeating: "x", count: 1 << 20))
            for number in 1...20 { await world.override("a", content: .json(["n": Tree(number), "x": big])) }
            _ = try stream.head()
            var names: [String] = []
            var last: Tree?
            while last != 20 {
                let event = try stream.event()
                names.append(event.name)
                last = event.json?["data"]?["n"]
            }
            #expect(names.count < 20)
            #expect(names.last == "state")
        }
    }

    @Test func `53.6 It observes for as long as a stream is there`() async throws {
        try await World.run { world, site in
            var stream: StreamClient? = try Self.open(site, "/github/a")
            await world.transport.waitForRequests(1)
            _ = try stream?.head()
            #expect(await world.isObserved("a"))
            stream = nil
            _ = stream
            await world.waitUntilUnobserved("a")
        }
    }

    @Test func `53.7 A reload keeps the streams that it still allows, and ends the others`() async throws {
        try await World.run { world, site in
            await world.override("a", content: .json([1]))
            await world.override("b", content: .json([1]))
            let streams = try ["a", "b"].map { try Self.open(site, "/github/\($0)") }
            for stream in streams {
                _ = try stream.head()
                _ = try stream.event()
            }
            let update = GatewayConfiguration(
                listen: ["127.0.0.1:0"], expose: ["github": ExposeRule(paths: ["/a"])])
            await site.gateway.commit(try site.gateway.prepare(update))
            await site.gateway.sweep(times: 1)
            #expect(try streams[1].isClosed())
            await world.override("a", content: .json([2]))
            #expect(try streams[0].event().json?["data"] == [2])
        }
    }

    @Test func `53.8 Heartbeats are sent when nothing else is`() async throws {
        try await World.run({ $0.limits.idleTimeout = 60 }) { world, site in
            await world.override("a", content: .json([1]))
            let stream = try Self.open(site, "/github/a")
            _ = try stream.head()
            _ = try stream.event()
            await site.gateway.sweep(times: 17)
            #expect(try stream.line() == ":")
            await site.gateway.sweep(times: 200)
            await world.override("a", content: .json([2]))
            #expect(try stream.event().json?["data"] == [2])
        }
    }

    @Test func `53.9 A request that can't be streamed is a problem as usual`() async throws {
        try await World.run { _, site in
            let refused = try site.get("/nobody/a", fields: ["Accept: text/event-stream"])
            #expect(refused.status == 404)
            #expect(refused["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `57.1 57.2 A stream of the API goes out to each client, over one connection`() async throws {
        try await World.run { world, site in
            try await world.configure("**") { $0.stream = .events }
            let streams = try (0..<3).map { _ in try Self.open(site, "/github/live") }
            for stream in streams {
                _ = try stream.head()
                #expect(try stream.event().name == "state")
            }
            await world.transport.waitForRequests(1)
            await world.stream("id: 1\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\n", beginning: true)
            for stream in streams {
                var seen: [Tree?] = []
                while seen.count < 2 {
                    let event = try stream.event()
                    if event.name == "new_data" { seen.append(event.json?["data"]?["n"]) }
                }
                #expect(seen == [1, 2])
            }
            await world.settle()
            #expect(await world.transport.requests.count == 1)
            // A plain read gets the content in memory and causes no request: the API's event stream reports
            // changes.
            world.clock.advance(by: 500)
            let answer = try site.get("/github/live")
            #expect(answer.body == #"{"n":2}"#)
            #expect(answer["Age"] == "500" && answer["Cache-Control"] == "max-age=30")
            #expect(await world.transport.requests.count == 1)
        }
    }
}

/// Reads a stream of events line by line.
final class StreamClient {
    struct Event {
        var name = ""
        var id = ""
        var data = ""
        var json: Tree? { try? Tree(json: data) }
    }

    private let client: Client

    init(_ client: Client) { self.client = client }

    func head() throws -> Answer { try client.answer() }

    func line() throws -> String { try client.line() }

    func isClosed() throws -> Bool { try client.isClosed() }

    /// The next event. Comments and the lines before the first event are skipped.
    func event() throws -> Event {
        var event = Event()
        while true {
            let line = try line()
            if line.isEmpty {
                if !event.name.isEmpty { return event }
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": event.name = value
            case "id": event.id = value
            case "data": event.data += value
            default: break
            }
        }
    }
}
