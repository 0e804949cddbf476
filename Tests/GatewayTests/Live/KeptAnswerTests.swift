import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Answers of routes that are kept. They are content like that of resources (rule 54.2).
@Suite struct KeptAnswerTests {
    /// Counts its calls, and returns this number of bytes for each. Calls whose query says so are held.
    @EngineActor
    final class Maker {
        private(set) var calls: [String] = []
        private(set) var requests: [ServedRequest] = []
        private var held: [(Int, @EngineActor (Result<ServedAnswer, RequestError>) -> Void)] = []
        private let bytes: Int

        nonisolated init(bytes: Int = 10_000) { self.bytes = bytes }

        nonisolated func route(keeping seconds: Double = 600) -> GatewayRoute {
            GatewayRoute(method: "GET", template: "/kept", expirationSeconds: seconds) { [self] in
                make($0, $1)
            }
        }

        private func make(
            _ request: ServedRequest,
            _ completion: @escaping @EngineActor (Result<ServedAnswer, RequestError>) -> Void
        ) {
            calls.append(request.query.first?.value ?? "")
            requests.append(request)
            let number = calls.count
            if calls.last == "held" { return held.append((number, completion)) }
            completion(answer(number).served)
        }

        private func answer(_ number: Int) -> Result<Entity, RequestError> {
            let text = "\(number) " + String(repeating: "x", count: bytes)
            return .success(Entity(content: .text(text), contentType: "text/plain", timestamp: 0))
        }

        func letGo() {
            for (number, completion) in held { completion(answer(number).served) }
            held = []
        }
    }

    private func number(_ answer: Answer) -> Int? {
        answer.body.split(separator: " ").first.flatMap { Int($0) }
    }

    @Test func `54.2 23.4 Ever new queries stay within the limit of content, and the oldest goes`()
        async throws
    {
        let maker = Maker()
        try await World.run({ $0.routes = [maker.route()] }) { world, site in
            await world.limitContent(to: 500_000)
            for query in 0..<100 {
                #expect(number(try site.get("/kept?q=\(query)")) == query + 1)
                // A client asks for the first one all the time.
                if query % 5 == 0 { #expect(number(try site.get("/kept?q=0")) == 1) }
                world.clock.advance(by: 1)
            }
            #expect(await world.heldContent <= 500_000)
            #expect(await maker.calls.count == 100)
            let last = try site.get("/kept?q=99")
            #expect(last["Cache-Status"]?.contains("hit") == true)
            #expect(number(try site.get("/kept?q=1")) == 101)
        }
    }

    @Test func `54.2 An answer without room is sent, and not kept`() async throws {
        let maker = Maker(bytes: 200_000)
        try await World.run({ $0.routes = [maker.route()] }) { world, site in
            await world.limitContent(to: 100_000)
            for count in 1...2 {
                let answer = try site.get("/kept?q=1")
                #expect(answer.status == 200 && number(answer) == count)
                #expect(answer.body.utf8.count > 200_000)
            }
            #expect(await world.heldContent <= 100_000)
        }
    }

    @Test func `54.2 Those who wait for an answer get it, whatever goes meanwhile`() async throws {
        let maker = Maker()
        try await World.run({ $0.routes = [maker.route()] }) { world, site in
            await world.limitContent(to: 100_000)
            let clients = [try site.asking("/kept?q=held"), try site.asking("/kept?q=held")]
            await yielding(until: "the function runs") { await maker.calls.count == 1 }
            for query in 0..<50 { _ = try site.get("/kept?q=\(query)") }
            await maker.letGo()
            let answers = try clients.map { try $0.answer() }
            #expect(answers.allSatisfy { number($0) == 1 })
            #expect(
                Set(answers.map { $0["Cache-Status"]?.contains("collapsed") ?? false }) == [false, true])
            let hit = try site.get("/kept?q=held")
            #expect(number(hit) == 1 && hit["Cache-Status"]?.contains("hit") == true)
        }
    }

    @Test func `54.2 HEAD, preconditions, age and other rules as with resources`() async throws {
        let maker = Maker(bytes: 10)
        try await World.run({ $0.routes = [maker.route(keeping: 10)] }) { world, site in
            let first = try site.get("/kept")
            let tag = try #require(first["ETag"])
            world.clock.advance(by: 4)
            let same = try site.get("/kept", fields: ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same["Age"] == "4")
            let head = try site.get("/kept", method: "HEAD")
            #expect(head["Content-Length"] == first["Content-Length"])
            #expect(
                try site.get("/kept", fields: ["Cache-Control: no-store"])["Cache-Status"]?.contains("hit")
                    == true)
            world.clock.advance(by: 7)
            #expect(try site.get("/kept")["Cache-Status"] == "resthost; fwd=stale")
            #expect(await maker.calls.count == 2)
            let update = GatewayConfiguration(listen: ["127.0.0.1:0"])
            var reloaded = update
            reloaded.routes = [maker.route(keeping: 10)]
            let prepared = try site.gateway.prepare(reloaded)
            await site.gateway.commit(prepared)
            #expect(number(try site.get("/kept")) == 3)
            #expect(await world.heldContent < 10_000)
        }
    }

    @Test func `54.2 The function of a kept route sees nothing of the client that came first`() async throws {
        let maker = Maker()
        try await World.run({ $0.routes = [maker.route()] }) { _, site in
            _ = try site.get(
                "/kept?q=a%20b", fields: ["Origin: https://a.example", "Cookie: a=b", "X-Own: 1"])
            let request = try #require(await maker.requests.first)
            #expect(
                request.headers.fields.isEmpty && request.onRead != nil && request.body.bytesInMemory.isEmpty)
            #expect(request.path == "/kept" && request.query.first?.value == "a b")
        }
    }

    @Test func `54.2 An answer with a time of its own is read as content of a resource is`() async throws {
        let text = "0123456789" + String(repeating: "x", count: 2000)
        let calls = Mutex(0)
        let outcomes = Mutex<[String]>([])
        let route = GatewayRoute(method: "GET", template: "/own", expirationSeconds: nil) { _, completion in
            calls.withLock { $0 += 1 }
            let entity = Entity(content: .text(text), contentType: "text/plain", timestamp: 0)
            completion(.success(.content(entity, expirationSeconds: 60)))
        }
        try await World.run({
            $0.routes = [route]
            $0.accessLog = { record in outcomes.withLock { $0.append(record.outcome ?? "-") } }
        }) { world, site in
            let first = try site.get("/own")
            let tag = try #require(first["ETag"])
            #expect(first.body == text && first["Cache-Control"] == "max-age=60")
            world.clock.advance(by: 20)
            let head = try site.get("/own", method: "HEAD")
            #expect(head["Content-Length"] == "\(text.utf8.count)" && head["Age"] == "20")
            #expect(try site.get("/own", fields: ["If-None-Match: \(tag)"]).status == 304)
            // A part is one of an API's own bytes (51.3).
            let part = try site.get("/own", fields: ["Range: bytes=3-6"])
            #expect(part.status == 200 && part.body == text && part["Accept-Ranges"] == nil)
            #expect(try site.get("/own", fields: ["Accept: image/png"]).status == 406)
            let coded = try site.get("/own", fields: ["Accept-Encoding: gzip"])
            #expect(coded["Content-Encoding"] == "gzip" && coded.body.utf8.count < 500)
            #expect(calls.withLock { $0 } == 1)
            world.clock.advance(by: 41)
            #expect(try site.get("/own", method: "HEAD")["Age"] == "0")
            #expect(calls.withLock { $0 } == 2)
            await yielding(until: "all are noted") { outcomes.withLock { $0.count == 7 } }
            // Each comes over a connection of its own, so their order may be another one.
            let noted = outcomes.withLock { $0.sorted() }
            #expect(noted == ["fetched", "fetched", "hit", "hit", "hit", "hit", "refused"])
        }
    }
}
