import ArgumentParser
import RestEngine

/// Holds many resources with a little data, for `make bench`.
struct BenchResourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-resources", abstract: "Measure the memory of idle resources.",
        shouldDisplay: false)

    @Option var count = 100_000
    /// How many observe each resource.
    @Option var observers = 0

    func run() throws {
        let code = MainThread.wait { @EngineActor in measure() }
        throw ExitCode(code)
    }

    @EngineActor
    private func measure() -> Int32 {
        let engine = HostEngine.make()
        let service = Service(engine: engine, name: "bench", baseURL: try? BaseURL("https://api.test/v1/"))
        service.cachedResourceCountLimit = .max
        let body = Array("{\"id\":1,\"text\":\"\(String(repeating: "x", count: 276))\"}".utf8)
        var resources: [Resource] = []
        resources.reserveCapacity(count)
        let owner = engine
        let before = ProcessMemory.residentBytes ?? 0
        for number in 0..<count {
            let resource = service.resource("items/\(number)")
            guard let tree = try? Tree(json: body) else { return 2 }
            resource.overrideLocalData(
                Entity(content: .json(tree), contentType: "application/json", timestamp: engine.scheduler.now)
            )
            _ = resource.isUpToDate
            for _ in 0..<observers { resource.addObserver(owner: owner) { _, _ in } }
            resources.append(resource)
        }
        let bytes = ((ProcessMemory.residentBytes ?? 0) - before) / count
        Streams.output(
            "{\"bytes_per_resource\":\(bytes),\"count\":\(resources.count),\"observers\":\(observers)}\n")
        return 0
    }
}
