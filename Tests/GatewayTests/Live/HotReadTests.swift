import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct HotReadTests {
    @Test func `A fresh resource is read while the engine is busy`() async throws {
        try await World.run(
            { $0.threads = 1 }, automatic: { _ in .success(.stub("[1]")) }
        ) { _, site in
            let first = try site.get("/github/a")
            let gate = Gate()
            defer { gate.open() }
            EngineLoop.shared.submit { gate.wait() }
            for _ in 0..<3 {
                let answer = try site.get("/github/a")
                #expect(answer.body == "[1]")
                #expect(answer["Cache-Status"] == "resthost; hit; ttl=30")
            }
            #expect(
                try site.get("/github/a", fields: ["If-None-Match: \(first["ETag"] ?? "")"]).status == 304)
        }
    }

    @Test func `Changed content is seen at the next read`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let client = try site.asking("/github/a")
            #expect(try client.answer().body == "[1]")
            await world.override("a", content: .json([2]))
            try client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let changed = try client.answer()
            #expect(changed.body == "[2]")
            #expect(changed["Cache-Status"] == "resthost; hit; ttl=30")
        }
    }

    @Test func `Simultaneous reads of a stale resource share one request`() async throws {
        try await World.run { world, site in
            let clients = try (0..<100).map { _ in try site.asking("/github/a") }
            await world.waitForReads(100)
            #expect(await world.transport.requests.count == 1)
            await world.reply("[1]")
            let answers = try clients.map { try $0.answer() }
            #expect(answers.allSatisfy { $0.status == 200 && $0.body == "[1]" })
            let collapsed = answers.filter { $0["Cache-Status"] == "resthost; fwd=miss; collapsed" }
            #expect(collapsed.count == 99)
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `The table of targets finds what is in it and forgets all when it is full`() async throws {
        let answerSnapshot = await World.answerSnapshot()
        let accessPolicy = try AccessPolicy(nil)
        func hot(_ number: Int, _ method: String) -> HotAnswer {
            let shown = EngineClient.Shown(
                answerSnapshot: answerSnapshot, methods: [method],
                forwarded: ForwardedHeaders(kept: HeaderNames([]), service: "github", base: nil), version: 1)
            return HotAnswer(target: bytes(number), shown, accessPolicy)
        }
        var table = TargetTable(limit: 8)
        func bytes(_ number: Int) -> [UInt8] { Array("/service/path/\(number)".utf8) }
        for number in 0..<8 {
            table.insert(hot(number, "GET"))
        }
        table.insert(hot(3, "HEAD"))
        #expect(table.count == 8)
        for number in 0..<8 {
            let found = bytes(number).withUnsafeBytes { table.find($0) }
            #expect(found?.allows(.get) == (number != 3))
        }
        #expect(bytes(9).withUnsafeBytes { table.find($0) } == nil)
        table.insert(hot(9, "GET"))
        #expect(table.count == 1)
        #expect(bytes(3).withUnsafeBytes { table.find($0) } == nil)
    }

    @Test func `An answer serves its target until another resource, port or count of metrics is meant`()
        async throws
    {
        let accessPolicy = try AccessPolicy(nil)
        func shown(_ answerSnapshot: AnswerSnapshot, labels: Int = 0) -> EngineClient.Shown {
            EngineClient.Shown(
                answerSnapshot: answerSnapshot, methods: ["GET"],
                forwarded: ForwardedHeaders(kept: HeaderNames([]), service: "github", base: nil),
                version: 1, labels: labels)
        }
        let first = shown(await World.answerSnapshot())
        let hot = HotAnswer(target: Array("/github/a".utf8), first, accessPolicy)
        #expect(hot.shows(first, accessPolicy))
        #expect(!hot.shows(shown(await World.answerSnapshot()), accessPolicy))
        #expect(!hot.shows(shown(first.answerSnapshot, labels: 1), accessPolicy))
        #expect(!hot.shows(first, try AccessPolicy(nil)))
    }

    @Test func `A name of a header is found in any case, and no other`() {
        let names = HeaderNames(["link", "x-total-count"])
        #expect(["link", "Link", "X-TOTAL-Count"].allSatisfy { names.contains($0) })
        #expect(
            !["", "lin", "line", "Limk", "x-total-coun", "links", "\u{12}ink"].contains { names.contains($0) }
        )
    }
}
