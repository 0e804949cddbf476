import InMemoryLogging
import InMemoryTracing
import Logging
import RestClient
import RestLifecycle
import ServiceLifecycleTestKit
import TestSupport
import Testing

/// Runs the code of the guide.
@EngineActor
struct AdapterGuideTests {
    @Test func `the guide does what it says`() async throws {
        let scheduler = Scheduler()
        let transport = StubTransport(scheduler: scheduler)
        try transport.stub(
            method: .get, urlGlob: "https://people.example/users/*", .json(200, #"{"name": "Mona"}"#))
        let engine = Engine(transport: transport, scheduler: scheduler)
        let lifecycle = connect(engine)
        let (handler, tracer) = (InMemoryLogHandler(), InMemoryTracer())
        connect(engine, to: Logger(label: "guide") { _ in handler })
        connect(engine, to: tracer)
        let users = try people(engine).endpoint("users")
        #expect(try await name(of: "octocat", in: users) == "Mona")
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET /users/{login}"])
        await #expect(throws: RequestError.self) {
            try await users.get("octocat").adding { Header(.accept, "a\nb") }.send()
        }
        let (trigger, run) = await begin(lifecycle)
        trigger.triggerGracefulShutdown()
        try await run.value
        #expect(try await name(of: "octocat", in: users) == nil)
        #expect(handler.entries.map { "\($0.level) \($0.message)" } == ["notice request failed"])
        #expect(handler.entries.first?.metadata["error"] == "shutting_down")
    }

    @Test func `a group runs the engine until it is cancelled`() async throws {
        let scheduler = Scheduler()
        let engine = Engine(transport: StubTransport(scheduler: scheduler), scheduler: scheduler)
        let task = Task {
            try await serve(engine, logger: Logger(label: "guide") { _ in InMemoryLogHandler() })
        }
        task.cancel()
        _ = await task.result
        #expect(engine.isShutDown)
    }
}
