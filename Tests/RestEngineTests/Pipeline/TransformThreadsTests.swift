import RestEngine
import Synchronization
import TestSupport
import Testing

/// Transformers and models of a program, whose work runs on other threads than the loop's.
@Suite(.leakChecked) @EngineActor
struct TransformThreadsTests {
    let fixture = EngineFixture()

    init() { fixture.engine.movesLargeContent = true }

    /// The threads on which several pieces of work ran.
    private final class Places: Sendable {
        private let list = Mutex<[Bool]>([])
        func note() { list.withLock { $0.append(EngineLoop.shared.isCurrent) } }
        var wereLoop: [Bool] { list.withLock { $0 } }
    }

    private func load(_ path: String, _ json: String = "{}") throws -> Request {
        try fixture.stub("GET", path, .json(200, json))
        return fixture.resource(path).load()
    }

    private func end() async {
        await fixture.engine.offloadedWorkEnds()
        fixture.settle()
    }

    @Test func `a transformer that takes long holds up nobody`() async throws {
        let gate = Gate()
        fixture.service.configureTransformer("slow") { (_: Tree, _) in
            gate.wait()
            return "done"
        }
        let slow = try load("slow")
        fixture.settle()
        let quick = try load("quick")
        fixture.settle()
        #expect(slow.state == .inProgress && quick.state == .completed)
        gate.open()
        await end()
        #expect(slow.info?.response.entity?.text == "done")
    }

    @Test func `responses of one URL keep their order`() async throws {
        let gate = Gate()
        let first = Atomic(true)
        fixture.service.configureTransformer("a") { (_: Tree, _) in
            if first.exchange(false, ordering: .relaxed) { gate.wait() }
            return "done"
        }
        let journal = Journal()
        for number in 0..<5 {
            try load("a").onCompletion { _ in journal.note("\(number)") }
        }
        fixture.settle()
        gate.open()
        await yielding(until: "five loads have ended") {
            await end()
            return journal.lines.count == 5
        }
        #expect(journal.lines == ["0", "1", "2", "3", "4"])
    }

    @Test func `more than there are threads are done in the end, cancelled ones aside`() async throws {
        let gate = Gate()
        fixture.service.configureTransformer("**") { (_: Tree, _) in
            gate.wait()
            return "done"
        }
        let requests = try (0..<20).map { try load("\($0)") }
        fixture.settle()
        requests[0].cancel()
        requests[19].cancel()
        gate.open()
        await end()
        #expect(requests.count { $0.info?.response.entity?.text == "done" } == 18)
        #expect(requests[0].isCancelled && requests[19].isCancelled)
    }

    @Test func `it runs on another thread, unless it asks for the loop`() async throws {
        let places = Places()
        fixture.service.configureTransformer("a") { (tree: Tree, _) in
            places.note()
            return tree
        }
        fixture.service.configureTransformer("b", onEngineLoop: true) { (tree: Tree, _) in
            places.note()
            return tree
        }
        _ = try load("a")
        fixture.settle()
        await end()
        _ = try load("b")
        fixture.settle()
        #expect(places.wereLoop == [false, true])
    }

    private struct Model: Decodable, Sendable {
        static let places = Places()
        let text: String

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode([String].self)[0]
            Self.places.note()
        }
    }

    @Test func `a large model is decoded elsewhere, a small one at once`() async throws {
        fixture.service.model(Model.self, at: "*")
        let small = try load("small", #"["x"]"#)
        fixture.settle()
        #expect(small.state == .completed)
        let large = try load("large", "[\"\(String(repeating: "x", count: 400_000))\"]")
        fixture.settle()
        await yielding(until: "the large model is decoded") {
            await end()
            return large.state == .completed
        }
        #expect(Model.places.wereLoop == [true, false])
        #expect(large.info?.response.entity?.typedContent(Model.self)?.text.count == 400_000)
    }
}
