import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct PipelineTests {
    let fixture = EngineFixture(standardTransformers: [])
    let journal = Journal()

    /// Appends its name to a text, and notes that it ran.
    private struct Appending: Transformer {
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

    private struct Custom: Transformer {
        let description = "custom"
        let body: @EngineActor @Sendable (Response, PipelineContext) -> Response

        func process(_ response: Response, _ context: PipelineContext) -> Response { body(response, context) }
    }

    private func pipeline(_ edit: @escaping @EngineActor (inout Pipeline) throws -> Void) throws {
        try fixture.configure { try edit(&$0.configuration.pipeline) }
    }

    private func fill(_ stages: [StageName]) throws {
        let journal = journal
        try pipeline { pipeline in
            for stage in stages { pipeline[stage].add(Appending(name: stage.rawValue, journal: journal)) }
        }
    }

    private func load(_ reply: StubReply = .text(200, "")) throws -> Request {
        try fixture.stub("GET", "a", reply)
        let request = fixture.resource("a").load()
        fixture.settle()
        return request
    }

    @Test func `16.1 stages run in their order, whatever the order of filling`() throws {
        try fill(["cleanup", "model", "parsing", "decoding", "raw_data"])
        #expect(try load().info?.response.entity?.content.text == "raw_datadecodingparsingmodelcleanup")
    }

    @Test func `16.2 in a stage transformers run in the order of adding`() throws {
        let journal = journal
        try pipeline { pipeline in
            for name in ["1", "2", "3"] { pipeline["model"].add(Appending(name: name, journal: journal)) }
        }
        #expect(try load().info?.response.entity?.content.text == "123")
    }

    @Test func `16.3 16.4 16.5 an order moves, creates and drops stages`() throws {
        try fill(["raw_data", "model", "mine"])
        try pipeline { try $0.setOrder(["mine", "model", "empty"]) }
        #expect(try load().info?.response.entity?.content.text == "minemodel")
        let pipeline = fixture.resource("a").configuration(for: "GET").pipeline
        #expect(pipeline.unlistedStages == ["raw_data"])
        #expect(pipeline.order == ["mine", "model", "empty"])
    }

    @Test func `16.6 D22 a name twice in an order is an error`() throws {
        var pipeline = Pipeline()
        let error = #expect(throws: Pipeline.DuplicateStage.self) { try pipeline.setOrder(["a", "b", "a"]) }
        #expect(pipeline.order == Pipeline.defaultOrder)
        #expect(error?.description == "stage 'a' occurs twice in the pipeline's order")
    }

    @Test func `16.7 clearing keeps the order`() throws {
        var pipeline = Pipeline()
        try pipeline.setOrder(["model", "mine"])
        for name in pipeline.order { pipeline[name].add(JSONTransformer()) }
        pipeline["model"].removeTransformers()
        #expect(pipeline["model"].isEmpty && !pipeline["mine"].isEmpty)
        pipeline.removeTransformers()
        #expect(pipeline["mine"].isEmpty)
        pipeline["mine"].add(JSONTransformer())
        pipeline.clear()
        #expect(pipeline["mine"].isEmpty && pipeline.order == ["model", "mine"])
    }

    @Test func `14.17 replace or append`() throws {
        try fill(["model"])
        let journal = journal
        try pipeline { pipeline in
            pipeline["model"].removeTransformers()
            pipeline["model"].add(Appending(name: "new", journal: journal))
        }
        try pipeline { $0["model"].add(Appending(name: "more", journal: journal)) }
        #expect(try load().info?.response.entity?.content.text == "newmore")
    }

    @Test func `16.8 a transformer may turn a success into a failure, and back`() throws {
        try pipeline { pipeline in
            pipeline["model"].add(
                Custom { _, context in
                    .failure(RequestError(userMessage: "no", timestamp: context.now))
                })
        }
        let request = try load()
        #expect(request.info?.response.error?.userMessage == "no")
        #expect(request.info?.response.error?.url == "https://api.test/v1/a")
        try pipeline { pipeline in
            pipeline["cleanup"].add(
                Custom { _, context in .success(Entity(content: .text("yes"), timestamp: context.now)) })
        }
        #expect(try load().info?.response.entity?.content.text == "yes")
        #expect(fixture.resource("a").latestError == nil)
    }

    @Test func `16.9 failures pass every stage`() throws {
        try fill(Pipeline.defaultOrder)
        #expect(try load(.response(500)).info?.response.error?.httpStatusCode == 500)
        #expect(journal.take() == Pipeline.defaultOrder.map(\.rawValue))
        _ = try load(.error(TransportError(.timeout, message: "Timeout")))
        #expect(journal.take() == Pipeline.defaultOrder.map(\.rawValue))
    }

    @Test func `16.10 a 304 does not pass, one without data does`() throws {
        try fill(["model"])
        #expect(try load(.response(304)).info?.response.error?.code == "no_local_data_for_304")
        #expect(journal.take() == ["model"])
        fixture.resource("a").overrideLocalContent(.text("x"))
        #expect(try load(.response(304)).info?.response.entity?.content.text == "x")
        #expect(journal.take().isEmpty)
    }

    @Test func `7.13 17.10 a response is transformed once, however many hooks`() throws {
        try fill(["model"])
        try fixture.stub("GET", "a", .text(200, ""))
        let request = fixture.resource("a").load()
        for _ in 0..<3 { journal.follow(request, "hook") }
        fixture.settle()
        journal.follow(request, "hook")
        fixture.settle()
        #expect(journal.lines.filter { $0 == "model" }.count == 1)
    }

    @Test func `16.13 requests pass the pipeline as loads do`() throws {
        try fill(["model"])
        try fixture.stub("DELETE", "a", .response(204))
        let request = fixture.resource("a").request("DELETE")
        fixture.settle()
        #expect(request.info?.response.entity?.content.text == "model")
    }

    @Test func `1.5 without standard transformers bodies stay bytes`() throws {
        let request = try load(.json(200, "{}"))
        #expect(request.info?.response.entity?.content.kind == "bytes")
    }

    @Test func `17.2 a filtered transformer runs for its types, on successes and failures`() throws {
        let journal = journal
        try pipeline { pipeline in
            pipeline["model"].add(Appending(name: "text", journal: journal), contentTypes: ["text/*"])
            pipeline["model"].add(
                Appending(name: "json", journal: journal), contentTypes: ["*/json", "text/x"])
        }
        _ = try load(.text(200, "", type: "Text/Plain; charset=utf-8"))
        #expect(journal.take() == ["text"])
        _ = try load(.text(500, "", type: "text/x"))
        #expect(journal.take() == ["text", "json"])
        _ = try load(.response(200))
        _ = try load(.error(TransportError(.timeout, message: "Timeout")))
        #expect(journal.take().isEmpty)
    }
}
