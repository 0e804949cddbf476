import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct AnswerSnapshotTests {
    let fixture = EngineFixture()

    private func loaded(_ reply: StubReply = .text(200, "x")) throws -> (Resource, AnswerSnapshot) {
        try fixture.stub("GET", "a", reply)
        let resource = fixture.resource("a")
        let answerSnapshot = resource.answerSnapshotForReaders()
        resource.load()
        fixture.settle()
        return (resource, answerSnapshot)
    }

    private func text(_ answerSnapshot: AnswerSnapshot) -> String? {
        answerSnapshot.answer(at: fixture.clock.uptime).map {
            String(decoding: $0.content.body, as: UTF8.self)
        }
    }

    @Test func `a fresh answer is there for readers until it expires`() throws {
        let (_, answerSnapshot) = try loaded()
        let answer = try #require(answerSnapshot.answer(at: 0))
        #expect(answer.timestamp == 0 && answer.expiresAt == 30)
        #expect(answer.content.contentType == "text/plain; charset=utf-8")
        #expect(text(answerSnapshot) == "x")
        #expect(answerSnapshot.answer(at: 30) != nil)
        #expect(answerSnapshot.answer(at: 30.01) == nil)
    }

    @Test func `later callers find the existing value`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(text(resource.answerSnapshotForReaders()) == "x")
        #expect(resource.answerSnapshotForReaders() === resource.answerSnapshotForReaders())
    }

    @Test(
        arguments: ["invalidate", "wipe", "invalidate configuration", "new block"])
    func `it is withdrawn at once`(by change: String) throws {
        let (resource, answerSnapshot) = try loaded()
        switch change {
        case "invalidate": resource.invalidate()
        case "wipe": resource.wipe()
        case "invalidate configuration": fixture.service.invalidateConfiguration()
        default: try fixture.configure { $0.configuration.expirationTime = .seconds(0.5) }
        }
        #expect(text(answerSnapshot) == nil)
        fixture.settle()
        resource.load()
        fixture.settle()
        #expect(text(answerSnapshot) == "x")
    }

    @Test func `an override is shown at once, an error leaves fresh data`() throws {
        let (resource, answerSnapshot) = try loaded()
        resource.overrideLocalContent(.text("local"))
        #expect(text(answerSnapshot) == "local")
        try fixture.stub("GET", "a", .response(500))
        resource.load()
        fixture.settle()
        #expect(text(answerSnapshot) == "local")
    }

    @Test func `an error without data is not shown`() throws {
        let (_, answerSnapshot) = try loaded(.response(500))
        #expect(text(answerSnapshot) == nil)
    }

    @Test func `a 304 keeps the encoded content and moves the times`() throws {
        let (resource, answerSnapshot) = try loaded()
        let first = try #require(answerSnapshot.answer(at: fixture.clock.uptime))
        fixture.advance(40)
        #expect(text(answerSnapshot) == nil)
        try fixture.stub("GET", "a", .response(304))
        resource.load()
        fixture.settle()
        let second = try #require(answerSnapshot.answer(at: fixture.clock.uptime))
        #expect(second.content === first.content)
        #expect(second.timestamp == 40 && second.expiresAt == 70)
    }

    @Test func `new data is encoded anew, equal content has an equal tag`() throws {
        let (resource, answerSnapshot) = try loaded()
        let first = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        resource.load()
        fixture.settle()
        let same = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        #expect(same !== first && same.etag == first.etag)
        resource.overrideLocalContent(.text("y"))
        #expect(answerSnapshot.answer(at: fixture.clock.uptime)?.content.etag != first.etag)
    }

    @Test func `the snapshot of a dropped resource is retired`() throws {
        var (resource, answerSnapshot): (Resource?, AnswerSnapshot) = try loaded()
        #expect(resource != nil && !answerSnapshot.isRetired)
        resource = nil
        fixture.service.flushUnusedResources()
        #expect(answerSnapshot.isRetired)
        #expect(text(answerSnapshot) == nil)
    }

    @Test(
        arguments: [
            (.bytes([1]), "a/b", "a/b", [1]),
            (.text("é"), "text/html; charset=latin1", "text/html; charset=utf-8", [0xC3, 0xA9]),
            (.text("a"), nil, "text/plain; charset=utf-8", [0x61]),
            (.json([1]), "a/b", "application/json", Array("[1]".utf8)),
            (.value("x"), nil, "application/json", Array("\"x\"".utf8)),
        ] as [(Content, String?, String, [UInt8])])
    func `content in the form in which it leaves`(
        content: Content, type: String?, sentType: String, body: [UInt8]
    ) throws {
        let resource = fixture.resource("a")
        resource.overrideLocalData(Entity(content: content, contentType: type, timestamp: fixture.clock.now))
        let answer = resource.answerSnapshotForReaders().answer(at: fixture.clock.uptime)
        #expect(answer?.content.contentType == sentType)
        #expect(answer?.content.body == body)
    }

    @Test(arguments: [Content.native(1), .value([Tree(Double.nan)])])
    func `content without a form outside is an error to those who ask`(content: Content) throws {
        let resource = fixture.resource("a")
        let answerSnapshot = resource.answerSnapshotForReaders()
        resource.overrideLocalData(Entity(content: content, timestamp: fixture.clock.now))
        #expect(answerSnapshot.answer(at: fixture.clock.uptime) == nil)
        var failure: RequestError?
        resource.readAnswer { if case .failure(let error) = $0 { failure = error } }
        #expect(failure != nil)
    }

    @Test func `a rendering is made once`() throws {
        let (_, answerSnapshot) = try loaded()
        let content = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        #expect(content.rendering { [1] } == [1])
        #expect(content.rendering { [2] } == [1])
    }

    @Test func `readAnswer loads what is stale and shares the encoding`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let answerSnapshot = resource.answerSnapshotForReaders()
        var answers: [PublishedAnswer] = []
        for _ in 0..<2 {
            resource.readAnswer { if case .success(let answer) = $0 { answers.append(answer) } }
        }
        fixture.settle()
        #expect(answers.count == 2)
        let shown = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        for answer in answers { #expect(answer.content === shown) }
    }

    @Test func `readers on other threads see whole answers`() async throws {
        let (resource, answerSnapshot) = try loaded()
        let readers = (0..<2).map { _ in
            Task.detached {
                var seen: Set<String> = []
                for _ in 0..<2000 {
                    guard let answer = answerSnapshot.answer(at: 0) else { continue }
                    seen.insert(String(decoding: answer.content.body, as: UTF8.self))
                }
                return seen
            }
        }
        for number in 0..<200 {
            resource.overrideLocalContent(.text("\(number)"))
            if number % 50 == 0 { await Task.yield() }
        }
        let expected = Set(["x"] + (0..<200).map(String.init))
        for reader in readers { #expect(await reader.value.isSubset(of: expected)) }
        #expect(text(answerSnapshot) == "199")
    }

    @Test(arguments: [
        ("a sentence", "application/json", "text/plain"), ("7", "application/json", "text/plain"),
        ("[draft] a title", "application/vnd.a+json", "text/plain"),
        (" {\"a\": 1}", "application/json; charset=utf-8", "application/json"),
        ("<a/>", "application/xml", "application/xml"), ("a sentence", "text/html", "text/html"),
    ])
    func `text that a script made of JSON goes out as text`(content: String, type: String, media: String)
        throws
    {
        let (resource, answerSnapshot) = try loaded()
        resource.overrideLocalData(
            Entity(content: .text(content), contentType: type, timestamp: 1_000_000))
        #expect(answerSnapshot.answer(at: 0)?.content.contentType == media + "; charset=utf-8")
    }
}
