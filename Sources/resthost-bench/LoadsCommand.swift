import ArgumentParser
import RestEngine
import RestScript

/// Loads one URL many times through the engine.
struct LoadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loads", abstract: "Loads of a URL each second.")

    @Argument var url: String
    @Option var count = 20_000
    @Option var concurrency = 32
    /// A script whose first service configures the resource. Without a script, bodies stay bytes.
    @Option var script: String?

    func run() async throws { try await measure() }

    @EngineActor
    private func measure() async throws {
        let engine = Engine.ofHost()
        var host: ScriptHost?
        let service: Service
        if let script {
            let loaded = try ScriptHost(path: script, engine: engine)
            guard let first = loaded.services.first else {
                throw ValidationError("\(script) declares no service")
            }
            host = loaded
            service = first
        } else {
            service = Service(engine: engine, name: "bench", baseURL: nil, standardTransformers: [])
        }
        let resource = service.resource(absoluteURL: url)
        let run = LoadRun(resource, count: count)
        let seconds = await run.seconds(concurrency: concurrency)
        let rate = Double(count) / seconds
        print(
            "{\"transfers_per_second\":\((rate * 10).rounded() / 10),\"failures\":\(run.failures),\"seconds\":\(seconds)}"
        )
        host?.close()
        if run.failures > 0 { throw ExitCode.failure }
    }
}

/// Keeps a number of loads of one resource in flight until all are done.
@EngineActor
private final class LoadRun {
    private let resource: Resource
    private var left: Int
    private var running = 0
    private(set) var failures = 0
    private var onEnd: CheckedContinuation<Void, Never>?

    init(_ resource: Resource, count: Int) {
        self.resource = resource
        left = count
    }

    func seconds(concurrency: Int) async -> Double {
        let clock = SystemClock()
        let start = clock.uptime
        await withCheckedContinuation { continuation in
            onEnd = continuation
            for _ in 0..<min(concurrency, left) { startNext() }
        }
        return clock.uptime - start
    }

    private func startNext() {
        guard left > 0 else {
            if running == 0 { onEnd?.resume() }
            return
        }
        left -= 1
        running += 1
        resource.load().onCompletion { [self] info in
            running -= 1
            if info.response.error != nil { failures += 1 }
            startNext()
        }
    }
}
