import ArgumentParser
import RestEngine
import RestScript

/// Tells many observers of a change of one resource, for `make bench`.
struct BenchObserversCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-observers", abstract: "Measure the time to tell all observers.",
        shouldDisplay: false)

    @Option var count = 5_000
    /// A script that observes the resource `observed` of its first service; without one the observers are
    /// native.
    @Option var script: String?

    func run() throws {
        let code = MainThread.wait { @EngineActor in measure() }
        throw ExitCode(code)
    }

    @EngineActor
    private func measure() -> Int32 {
        let engine = HostEngine.make()
        var host: ScriptHost?
        let service: Service
        var told = 0
        if let script {
            do throws(Diagnostic) { host = try ScriptHost(path: script, engine: engine) } catch {
                Streams.error(DiagnosticText().text(error))
                return 2
            }
            guard let first = host?.services.first else { return 2 }
            service = first
        } else {
            service = Service(engine: engine, name: "bench", baseURL: try? BaseURL("https://api.test/v1/"))
            let resource = service.resource("observed")
            for _ in 0..<count { resource.addObserver(owner: engine) { _, _ in told += 1 } }
        }
        let resource = service.resource("observed")
        let clock = SystemClock()
        told = 0
        let times = (0..<101).map { round in
            let start = clock.uptime
            resource.overrideLocalContent(.text("\(round)"))
            return clock.uptime - start
        }
        let milliseconds = times.sorted()[50] * 1000
        Streams.output("{\"milliseconds\":\(milliseconds),\"observers\":\(count),\"told\":\(told)}\n")
        host?.close()
        return host == nil && told != 101 * count ? 1 : 0
    }
}
