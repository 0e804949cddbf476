import RestEngine
import Synchronization
import TestSupport
import Testing

/// Large content, whose snapshot is made on another thread than the loop's.
@Suite(.leakChecked) @EngineActor
struct LargeSnapshotTests {
    let fixture = EngineFixture()
    private let prepared = Prepared()
    private nonisolated static let text = String(repeating: "x", count: 300_000)

    /// The content that a face was given, and the thread that called it.
    private final class Prepared: Sendable {
        let contents = Mutex<[EncodedContent]>([])
        func add(_ content: EncodedContent) { contents.withLock { $0.append(content) } }
        var count: Int { contents.withLock { $0.count } }
    }

    init() { fixture.engine.movesLargeContent = true }

    private func resource() -> (Resource, AnswerSnapshot) {
        let resource = fixture.resource("a")
        let prepared = prepared
        return (resource, resource.answerSnapshotForReaders { prepared.add($0) })
    }

    private func size(_ answerSnapshot: AnswerSnapshot) -> Int? {
        answerSnapshot.answer(at: fixture.clock.uptime)?.content.body.count
    }

    @Test(arguments: [Content.text(text), .json(Tree(text)), .bytes(Array(text.utf8))])
    func `it appears when it is made, once for all who ask`(_ content: Content) async throws {
        let (resource, answerSnapshot) = resource()
        resource.overrideLocalContent(content)
        var answers: [PublishedAnswer] = []
        for _ in 0..<2 { resource.readAnswer { if let answer = try? $0.get() { answers.append(answer) } } }
        // This test holds the loop as long as it doesn't wait.
        #expect(answers.isEmpty && answerSnapshot.answer(at: fixture.clock.uptime) == nil)
        await fixture.engine.offloadedWorkEnds()
        let shown = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        #expect(shown.body.count >= 300_000 && prepared.count == 1)
        #expect(answers.map { $0.content === shown } == [true, true])
        #expect(answers.allSatisfy { $0.isFresh(at: fixture.clock.uptime) })
    }

    @Test func `what a load brought is shown with it, for its form was made where it was transformed`()
        async throws
    {
        let (resource, answerSnapshot) = resource()
        try fixture.stub(
            "GET", "a",
            .response(
                200, headers: Headers([("Content-Type", "application/json")]), body: LargeContentTests.json))
        let request = resource.load()
        fixture.settle()
        await fixture.engine.offloadedWorkEnds()
        #expect(request.state == .inProgress || request.state == .completed)
        fixture.settle()
        // The second read doesn't wait.
        #expect(size(answerSnapshot) == LargeContentTests.json.count && prepared.count == 1)
        var answer: PublishedAnswer?
        resource.readAnswer { answer = try? $0.get() }
        #expect(answer?.content === answerSnapshot.answer(at: fixture.clock.uptime)?.content)
    }

    @Test func `a form that was made with a content is no other's`() async throws {
        let (resource, answerSnapshot) = resource()
        try fixture.stub(
            "GET", "a",
            .response(
                200, headers: Headers([("Content-Type", "application/json")]), body: LargeContentTests.json))
        // Steps after the offloaded one change its result.
        var length = TypedTransformer<Tree, String>(description: "length") { tree, _ in "\(tree.byteCount)" }
        length.onEngineLoop = true
        fixture.service.configure { [length] in $0.pipeline[.model].add(length) }
        resource.load()
        fixture.settle()
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        let shown = try #require(answerSnapshot.answer(at: fixture.clock.uptime)).content
        #expect(
            String(decoding: shown.body, as: UTF8.self)
                == "\(try Tree(json: LargeContentTests.json).byteCount)")
        #expect(prepared.count == 0)
    }

    @Test func `small content is there at once and prepared by who shows it`() {
        let (resource, answerSnapshot) = resource()
        resource.overrideLocalContent(.text("small"))
        #expect(size(answerSnapshot) == 5 && prepared.count == 0)
    }

    @Test func `only a caller that asked before a replacement gets the old one`() async throws {
        let (resource, answerSnapshot) = resource()
        resource.overrideLocalContent(.text(Self.text))
        var early: Int?
        resource.readAnswer { early = (try? $0.get())?.content.body.count }
        resource.overrideLocalContent(.text("new"))
        #expect(size(answerSnapshot) == 3)
        await fixture.engine.offloadedWorkEnds()
        #expect(early == 300_000 && size(answerSnapshot) == 3)
    }

    @Test(arguments: ["invalidate", "wipe", "invalidate configuration", "no room"])
    func `it does not appear when it was withdrawn meanwhile`(by change: String) async throws {
        let (resource, answerSnapshot) = resource()
        resource.overrideLocalContent(.text(Self.text))
        switch change {
        case "invalidate": resource.invalidate()
        case "wipe": resource.wipe()
        case "no room": fixture.engine.contentBudget.limit = 1
        default: fixture.service.invalidateConfiguration()
        }
        await fixture.engine.offloadedWorkEnds()
        #expect(size(answerSnapshot) == nil)
        guard change == "invalidate configuration" else { return }
        resource.readAnswer { _ in }
        #expect(size(answerSnapshot) == 300_000)
    }

    @Test func `content without a form fails who waits`() async {
        let (resource, answerSnapshot) = resource()
        resource.overrideLocalContent(.value([Tree(Self.text), Tree(Double.nan)]))
        var outcome: Result<PublishedAnswer, RequestError>?
        resource.readAnswer { outcome = $0 }
        await fixture.engine.offloadedWorkEnds()
        #expect(throws: RequestError.self) { try outcome?.get() }
        #expect(outcome != nil && size(answerSnapshot) == nil)
    }
}
