import Foundation

enum SpeedError: Error { case status, size }

/// `SwiftSpeed CLIENT TASK URL [FILE]` does one task with one client, and prints seconds: of the clock, of the
/// processor, and of the median and the 99th percentile of requests.
@main
struct SwiftSpeed {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { return print("usage: SwiftSpeed CLIENT TASK URL [FILE]") }
        let client: any SpeedClient =
            switch arguments[1] {
            case "rest": try RestSpeed(url: arguments[3])
            case "async-http-client": AsyncHTTPClientSpeed(url: arguments[3])
            default: URLSessionSpeed(url: arguments[3])
            }
        // The first request makes what a process makes once.
        _ = try await client.get("small.bin")
        let (clock, processor) = (ContinuousClock.now, processorSeconds())
        var times: [Double] = []
        switch arguments[2] {
        case "small": times = try await small(client)
        case "json":
            for _ in 0..<20 where try await client.models("models.json") < 10_000 { throw SpeedError.size }
        default: try await client.download("large.bin", to: arguments[4])
        }
        let seconds = [
            clock.duration(to: .now) / .seconds(1), processorSeconds() - processor, part(times, 0.5),
            part(times, 0.99),
        ]
        print(seconds.map { "\($0)" }.joined(separator: " "))
        try await client.end()
    }

    /// 10,000 requests, 64 at once. Gives how long each took.
    private static func small(_ client: any SpeedClient) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for worker in 0..<64 {
                group.addTask {
                    var times: [Double] = []
                    for _ in stride(from: worker, to: 10_000, by: 64) {
                        let began = ContinuousClock.now
                        guard try await client.get("small.bin") == 1000 else { throw SpeedError.size }
                        times.append(began.duration(to: .now) / .seconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private static func part(_ times: [Double], _ share: Double) -> Double {
        times.isEmpty ? 0 : times.sorted()[Int(Double(times.count - 1) * share)]
    }

    /// Of all threads, in the system and outside of it.
    private static func processorSeconds() -> Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
