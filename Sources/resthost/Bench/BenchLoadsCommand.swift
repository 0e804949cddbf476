import ArgumentParser
import CurlTransport
import RestEngine
import RestScript

/// Loads one URL many times through the engine, for `make bench`.
struct BenchLoadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-loads", abstract: "Measure loads per second.", shouldDisplay: false)

    @Argument var url: String
    @Option var count = 20_000
    @Option var concurrency = 32
    /// A script whose first service configures the resource; without one bodies stay bytes.
    @Option var script: String?

    func run() throws {
        let code = MainThread.wait { @EngineActor in await measure() }
        throw ExitCode(code)
    }

    @EngineActor
    private func measure() async -> Int32 {
        let engine = HostEngine.make()
        var host: ScriptHost?
        let service: Service
        if let script {
            do throws(Diagnostic) { host = try ScriptHost(path: script, engine: engine) } catch {
                Streams.error(DiagnosticText().text(error))
                return 2
            }
            guard let first = host?.services.first else { return 2 }
            service = first
        } else {
            service = Service(engine: engine, name: "bench", baseURL: nil, standardTransformers: [])
        }
        let resource = service.resource(absoluteURL: url)
        let run = BenchLoads(resource, count: count)
        let seconds = await run.seconds(concurrency: concurrency)
        let rate = Double(count) / seconds
        Streams.output(
            "{\"transfers_per_second\":\((rate * 10).rounded() / 10),\"failures\":\(run.failures),\"seconds\":\(seconds)}\n"
        )
        host?.close()
        return run.failures == 0 ? 0 : 1
    }
}

/// Keeps so many loads of one resource in flight until all are done.
@EngineActor
private final class BenchLoads {
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
