import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Large bodies, which are transformed on other threads than the loop's.
@Suite(.leakChecked) @EngineActor
struct LargeContentTests {
    let fixture = EngineFixture()

    init() { fixture.engine.movesLargeContent = true }

    private func load(_ path: String, _ type: String, _ body: [UInt8], _ status: Int = 200) throws -> Request
    {
        try fixture.stub(
            "GET", path, .response(status, headers: Headers([("Content-Type", type)]), body: body))
        return fixture.resource(path).load()
    }

    nonisolated static let json = json(300_000)

    private nonisolated static func json(_ count: Int) -> [UInt8] {
        Array("[\"\(String(repeating: "x", count: count))\"]".utf8)
    }

    @Test(arguments: [
        ("text/plain", [UInt8](repeating: 0xE9, count: 300_000), "text"),
        ("text/plain; charset=utf-16", [UInt8](repeating: 0x61, count: 300_000), "text"),
        ("application/json", json, "json"),
        ("application/jsonl", Array(String(repeating: "[1]\n", count: 9000).utf8), "json"),
    ])
    func `a large body is transformed elsewhere, and others are answered first`(
        type: String, body: [UInt8], kind: String
    ) async throws {
        let large = try load("large", type, body)
        let failed = try load("failed", type, body, 500)
        let small = try load("small", type, Array(body.prefix(2)))
        fixture.settle()
        // This test holds the loop as long as it doesn't wait.
        #expect(large.state == .inProgress && failed.state == .inProgress && small.state == .completed)
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(large.info?.response.entity?.content.kind == kind)
        #expect(failed.info?.response.error?.entity?.content.kind == kind)
        #expect(failed.info?.response.error?.httpStatusCode == 500)
    }

    @Test func `a large body that nothing standard takes waits for nobody`() throws {
        let request = try load("a", "x/y", [UInt8](repeating: 0, count: 1 << 20))
        fixture.settle()
        #expect(request.state == .completed)
    }

    @Test(arguments: [("application/json", "[%]"), ("text/plain", "%"), ("application/jsonl", "\"%\"")])
    func `up to a size it is transformed on the loop`(type: String, form: String) async throws {
        let most = type == "application/jsonl" ? 16 << 10 : 64 << 10
        func body(_ count: Int) -> [UInt8] {
            let room = count - form.utf8.count + 1
            let digits = String(repeating: "1", count: room)
            return Array(form.replacing("%", with: digits).utf8)
        }
        let least = try load("least", type, body(most + 1))
        let small = try load("small", type, body(most))
        fixture.settle()
        #expect(least.state == .inProgress && small.state == .completed)
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(least.state == .completed)
    }

    @Test func `a body up to a megabyte doesn't wait for larger ones`() async throws {
        let gate = Gate()
        // A huge body takes as long as this test wants.
        LargeContent.shared.run(for: 55 << 20) {
            gate.wait()
        } completion: { _ in
        }
        let huge = try load("huge", "application/json", Self.json(2 << 20))
        let large = try load("large", "application/json", Self.json(300_000))
        fixture.settle()
        await yielding(until: "300 kB are decoded") {
            fixture.settle()
            return large.state == .completed
        }
        #expect(huge.state == .inProgress)
        gate.open()
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(huge.info?.response.entity?.content.kind == "json")
    }

    @Test func `D2 a load that began later stays, though an earlier and larger one ends behind it`()
        async throws
    {
        let earlier = try load("a", "application/json", Self.json(2 << 20))
        fixture.settle()
        let later = try load("a", "application/json", Self.json(100_000))
        fixture.settle()
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(earlier.state == .completed && later.state == .completed)
        #expect(
            fixture.resource("a").latestData?.json.elements.first { _ in true }?.string?.utf8.count == 100_000
        )
    }

    @Test func `what is discarded ends elsewhere`() async {
        final class Leftover: Sendable {
            let end: @Sendable (Bool) -> Void
            init(_ end: @escaping @Sendable (Bool) -> Void) { self.end = end }
            deinit { end(EngineLoop.shared.isCurrent) }
        }
        let wasOnLoop: Bool? = await waiting(for: "the end of what is discarded") { notified in
            LargeContent.discard(Leftover(notified))
        }
        #expect(wasOnLoop == false)
    }

    @Test func `one that is cancelled meanwhile stays cancelled`() async throws {
        let requests = try (0..<3).map { try load("\($0)", "application/json", Self.json) }
        fixture.settle()
        for request in requests { request.cancel() }
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(requests.map(\.isCancelled) == [true, true, true])
    }

    @Test func `18.3 D41 the charset of a large text is found elsewhere too`() async throws {
        let html = Array(#"<meta charset="koi8-r">"#.utf8) + [UInt8](repeating: 0xD1, count: 300_000)
        let request = try load("a", "text/html", html)
        fixture.settle()
        #expect(request.state == .inProgress)
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
        #expect(try #require(request.info?.response.entity).text.hasSuffix("яяя"))
    }

    /// Threads of transformer modules decode by themselves.
    @Test nonisolated func `huge bodies are decoded one at a time, whatever thread has them`() async {
        let underWay = Atomic(0)
        let decodes: @Sendable (Int) -> Int = { bytes in
            LargeContent.oneAtATime(for: bytes) {
                let others = underWay.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
                for _ in 0..<100 { sched_yield() }
                underWay.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                return others
            }
        }
        let most = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { decodes(2 << 20) } }
            return await group.reduce(0, max)
        }
        #expect(most == 0)
        // A body that isn't huge doesn't wait.
        let nested = LargeContent.oneAtATime(for: 2 << 20) { LargeContent.oneAtATime(for: 1 << 20) { true } }
        #expect(nested)
    }
}
