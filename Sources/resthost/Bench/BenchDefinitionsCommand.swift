import ArgumentParser
import RestEngine

/// Builds and compares definitions, and sends them beside plain requests, for `make bench`.
struct BenchDefinitionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-definitions", abstract: "Measure definitions of requests.",
        shouldDisplay: false)

    @Option(help: "What is measured: build, request or send.") var what = "build"
    @Option var rounds = 100_000

    func run() throws {
        let code = MainThread.wait { @EngineActor in (try? measure()) ?? 2 }
        throw ExitCode(code)
    }

    @EngineActor
    private func measure() throws -> Int32 {
        let scheduler = Scheduler(clock: ManualClock())
        let transport = StubTransport(scheduler: scheduler)
        try transport.stub(method: nil, urlGlob: "https://api.test/**", .text(200, "x"))
        let engine = Engine(transport: transport, scheduler: scheduler)
        let service = Service(engine: engine, name: "bench", baseURL: try BaseURL("https://api.test/v1/"))
        var shared = RequestProperties()
        shared.headers = [HeaderItem("Accept", "application/json"), HeaderItem("X-Version", "2")]
        shared.query = [QueryItem("v", .integer(2))]
        let endpoint = try EndpointDefinition(service).endpoint("users", shared)
        let clock = SystemClock()
        let start = clock.uptime
        switch what {
        case "build":
            var equal = 0
            let known = try define(endpoint, "octocat", 1)
            for number in 0..<rounds where try define(endpoint, "octocat", number & 1) == known { equal += 1 }
            guard equal == rounds / 2 else { return 2 }
        case "request":
            let resource = try define(endpoint, "octocat", 1).resource
            var options = RequestOptions()
            options.headers = Headers([("Accept", "application/json"), ("X-Version", "2")])
            for _ in 0..<rounds {
                resource.request("GET", options)
                while scheduler.runTurn() {}
            }
        case "send":
            let definition = try define(endpoint, "octocat", 1)
            for _ in 0..<rounds {
                definition.send()
                while scheduler.runTurn() {}
            }
        default: return 2
        }
        let seconds = clock.uptime - start
        Streams.output("{\"nanoseconds\":\(Int(seconds / Double(rounds) * 1e9))}\n")
        return 0
    }

    private func define(
        _ endpoint: EndpointDefinition, _ login: String, _ page: Int
    ) throws(DefinitionError) -> RequestDefinition {
        var properties = RequestProperties()
        properties.path = [try PathComponent(login)]
        properties.query = [QueryItem("page", .integer(page))]
        return try endpoint.request("GET", properties)
    }
}
