import ArgumentParser
import RestEngine

/// Holds many resources with a little data each.
struct ResourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resources", abstract: "Bytes of memory of an idle resource.")

    @Option var count = 100_000

    func run() async throws { try await measure() }

    @EngineActor
    private func measure() throws {
        let engine = Engine.ofHost()
        let service = Service(engine: engine, name: "bench", baseURL: try BaseURL("https://api.test/v1/"))
        service.cachedResourceCountLimit = .max
        let body = Array("{\"id\":1,\"text\":\"\(String(repeating: "x", count: 276))\"}".utf8)
        var resources: [Resource] = []
        resources.reserveCapacity(count)
        let before = ProcessMemory.residentBytes ?? 0
        for number in 0..<count {
            let resource = service.resource("items/\(number)")
            let tree = try Tree(json: body)
            resource.overrideLocalData(
                Entity(content: .json(tree), contentType: "application/json", timestamp: engine.scheduler.now)
            )
            _ = resource.isUpToDate
            resources.append(resource)
        }
        let bytes = ((ProcessMemory.residentBytes ?? 0) - before) / count
        print("{\"bytes_per_resource\":\(bytes),\"count\":\(resources.count)}")
    }
}
