import ArgumentParser
import RestEngine

/// Configures one URL among many patterns.
struct ConfigurationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Nanoseconds of the configuration of a URL.")

    @Option var patterns = 10_000

    func run() async throws { try await measure() }

    @EngineActor
    private func measure() throws {
        let service = Service(
            engine: .ofHost(), name: "bench", baseURL: try BaseURL("https://api.test/v1/"),
            standardTransformers: [])
        // Three shapes alternate: a fixed path, one variable segment, any depth.
        let shapes = ["/area%/items", "/users/*/area%", "**/leaf%"]
        for number in 0..<patterns {
            let text = shapes[number % shapes.count].replacing("%", with: String(number))
            let pattern = try URLPattern.glob(text, base: service.baseURL)
            service.configure(
                ConfigurationEntry(pattern: pattern, description: text) {
                    $0.configuration.expirationSeconds = 60
                })
        }
        let resource = service.resource("/users/me/area1")
        let rounds = 20_000
        let clock = SystemClock()
        var best = Double.infinity
        for _ in 0..<5 {
            let start = clock.uptime
            for _ in 0..<rounds {
                service.invalidateConfiguration()
                _ = resource.configuration(for: "GET")
            }
            best = min(best, clock.uptime - start)
        }
        print("{\"nanoseconds\":\(Int(best / Double(rounds) * 1e9))}")
    }
}
