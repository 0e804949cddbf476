import RestEngine
import TestSupport
import Testing

/// Steps of a pipeline that run on other threads (rules 16, 22).
@Suite(.leakChecked) @EngineActor
struct OffloadedTransformerTests {
    let fixture = EngineFixture()
    let journal = Journal()
    let executor: HeldExecutor

    init() {
        executor = HeldExecutor(fixture, journal)
        fixture.engine.log.enabled = [.pipeline]
    }

    /// Appends its name to a text, on the loop.
    struct Inline: Transformer {
        let name: String
        let journal: Journal
        var description: String { name }

        func process(_ response: Response, _ context: PipelineContext) -> Response {
            journal.note(name)
            guard case .success(var entity) = response else { return response }
            entity.content = .text((entity.content.text ?? "") + name)
            return .success(entity)
        }
    }

    /// Adds transformers to stages. Those with capital names run on other threads.
    func fill(_ stages: (StageName, [String])..., caches: [StageName: any EntityCache] = [:]) throws {
        let (executor, journal) = (executor, journal)
        try fixture.configure { draft in
            for (stage, names) in stages {
                for name in names {
                    let isOffloaded = name == name.uppercased()
                    draft.configuration.pipeline[stage].add(
                        isOffloaded ? executor.transformer(name) : Inline(name: name, journal: journal))
                }
            }
            for (stage, cache) in caches { draft.configuration.pipeline[stage].cache = cache }
        }
    }

    func load(_ reply: StubReply = .text(200, "")) throws -> Request {
        try fixture.stub("GET", "a", reply)
        let request = fixture.resource("a").load()
        fixture.settle()
        return request
    }

    func text(_ request: Request) -> String? { request.info?.response.entity?.content.text }

    @Test("16.4: steps keep their order wherever they are done, and neighbours go in one job")
    func order() throws {
        try fill(("decoding", ["a"]), ("model", ["B", "C"]), ("cleanup", ["D", "e", "F"]))
        let request = try load(.text(200, "", type: "x/y"))
        #expect(executor.waiting.count == 1)
        #expect(request.state == .inProgress)
        executor.go()
        #expect(request.state == .inProgress)
        #expect(journal.take() == ["a", "B", "C", "D", "e"])
        executor.go()
        fixture.settle()
        #expect(text(request) == "aBCDeF")
        #expect(executor.waiting.isEmpty)
    }

    @Test("16.11: while a response is elsewhere the loop goes on, and answers come in any order")
    func overtaking() throws {
        try fill(("model", ["A"]))
        try fixture.stub("GET", "*", .text(200, "x"))
        let requests = ["a", "b"].map { fixture.resource($0).load() }
        fixture.settle()
        #expect(fixture.engine.offloadedWork == 2)
        executor.go(1)
        fixture.settle()
        #expect(requests.map(\.state) == [.inProgress, .completed])
        #expect(fixture.engine.openRequests == 1)
        executor.go()
        fixture.settle()
        #expect(requests.map(text) == ["xA", "xA"])
        #expect(fixture.engine.offloadedWork == 0)
    }

    @Test("18.1: a standard transformer before such a step is done in the same job, as the log tells")
    func standard() throws {
        try fill(("model", ["A"]))
        let request = try load(.json(200, "[1]"))
        #expect(fixture.log.isEmpty)
        executor.go()
        fixture.settle()
        #expect(text(request) == "json A")
        let lines = fixture.log.map(\.text).filter { !$0.hasPrefix("  →") }
        #expect(
            lines.map { $0.split(separator: ": ").dropFirst().joined(separator: ": ") } == [
                "parsing: json", "model: A",
            ])
    }

    @Test(
        "17.7 D12: one that fails in the job keeps status and body; the step after it does not see a success"
    )
    func malformed() throws {
        try fill(("model", ["A"]))
        let request = try load(.json(200, "{"))
        executor.go()
        fixture.settle()
        let error = request.info?.response.error
        #expect(error?.code == "malformed_json")
        #expect(error?.httpStatusCode == 200)
        #expect(error?.url == "https://api.test/v1/a")
        if case .bytes(let bytes)? = error?.entity?.content {
            #expect(bytes == Array("{".utf8))
        } else {
            Issue.record()
        }
    }

    @Test("17.8: a failure goes only to a step that may change it")
    func failures() throws {
        try fill(("model", ["A"]))
        let request = try load(.json(404, #"{"a":1}"#))
        #expect(request.state == .completed)
        #expect(executor.waiting.isEmpty)
        #expect(request.info?.response.error?.entity?.content.kind == "json")

        let executor = executor
        try fixture.configure {
            $0.configuration.pipeline["cleanup"].add(executor.transformer("!", errors: true))
        }
        let second = fixture.resource("a").load()
        fixture.settle()
        executor.go()
        fixture.settle()
        #expect(second.info?.response.error?.userMessage == "Not found!")
    }

    @Test("17.2: content types are looked at where the step is done; without a match there is no job")
    func filter() throws {
        let executor = executor
        try fixture.configure { draft in
            draft.configuration.pipeline["model"].add(executor.transformer("A"), contentTypes: ["image/*"])
            draft.configuration.pipeline["model"].add(executor.transformer("B"), contentTypes: ["text/*"])
        }
        #expect(try load(.json(200, "{}")).state == .completed)
        try fixture.stub("GET", "b", .text(200, "x"))
        let request = fixture.resource("b").load()
        fixture.settle()
        executor.go()
        fixture.settle()
        #expect(text(request) == "xB")
    }

    @Test("8.2: a cancelled request takes its job back, and what comes of one at work is dropped")
    func cancelling() throws {
        try fill(("model", ["A"]))
        let request = try load()
        request.cancel()
        #expect(journal.take() == ["cancelled"])
        #expect(fixture.engine.offloadedWork == 0)
        fixture.settle()
        #expect(request.isCancelled)
    }

    @Test("a job that can't be done fails with its cause, status and body kept")
    func refused() throws {
        try fill(("model", ["A"]))
        let request = try load(.text(200, "body"))
        executor.fail(.transport(TransportError(.queueFull, message: "too many")))
        fixture.settle()
        let error = request.info?.response.error
        #expect(error?.code == "queue_full")
        #expect(error?.userMessage == "too many")
        #expect(error?.httpStatusCode == 200)
        #expect(error?.entity?.content.text == nil)
    }

    @Test("21.1: an override while a load is elsewhere stays, and so does the data of a later load")
    func overridden() throws {
        try fill(("model", ["A"]))
        let request = try load(.text(200, "x"))
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("mine"))
        executor.go()
        fixture.settle()
        #expect(request.state == .completed)
        #expect(resource.latestData?.content.text == "mine")
        var requests: [Request] = []
        for text in ["older", "newer"] {
            try fixture.stub("GET", "a", .text(200, text))
            requests.append(resource.load())
            fixture.settle()
        }
        executor.go(1)
        fixture.settle()
        executor.go()
        fixture.settle()
        #expect(requests.allSatisfy { $0.state == .completed })
        #expect(resource.latestData?.content.text == "newerA")
    }

    @Test("19.9: a 304 is for the data that is there, whatever is elsewhere")
    func notModified() throws {
        try fill(("model", ["A"]))
        let resource = fixture.resource("a")
        resource.overrideLocalData(
            Entity(content: .text("old"), headers: Headers([("ETag", "\"1\"")]), timestamp: 1_000_000))
        try fixture.stub("GET", "a", .response(304))
        let request = resource.load()
        fixture.settle()
        #expect(request.info?.isNew == false)
        #expect(executor.waiting.isEmpty)
    }

    @Test("30: a pipeline that stays on the loop ends in the tick in which the response comes")
    func synchronous() throws {
        try fill(("model", ["a"]))
        let request = try load(.text(200, ""))
        #expect(request.state == .completed)
        #expect(fixture.engine.offloadedWork == 0)
    }
}
