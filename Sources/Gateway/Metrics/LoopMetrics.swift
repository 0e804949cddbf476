public import RestEngine
import Synchronization

/// The counts of one event loop. The loop writes them and a scrape reads them; otherwise the lock is free.
final class LoopMetrics: Sendable {
    struct State: Sendable {
        var series: [RequestSeries.Key: RequestSeries] = [:]
        var connections = 0
        var streams = 0
    }

    private let registry: GatewayMetrics
    private let state = Mutex(State())

    fileprivate init(_ registry: GatewayMetrics) { self.registry = registry }

    /// When the gateway has ended, its counts are kept, because counters must not go back.
    deinit { registry.keep(state.withLock { $0.series }) }

    var reading: State { state.withLock { $0 } }

    func count(_ key: RequestSeries.Key, seconds: Double, bytes: Int) {
        state.withLock { state in
            let key = state.series[key] != nil ? key : registry.admit(key)
            state.series[key, default: RequestSeries()].histogram.add(seconds)
            state.series[key]?.bytes += bytes
        }
    }

    func set(connections: Int, streams: Int) {
        state.withLock { state in
            state.connections = connections
            state.streams = streams
        }
    }
}

/// The metrics of a host's gateways. Counting begins at the first request for them, or when the configuration
/// says so (rule 65.1). Until then it costs a request only the check of one reference.
public final class GatewayMetrics: Sendable {
    /// Pairs of service and pattern; see docs/reference/limits.md, L120.
    static let mostLabels = 500
    /// Kinds of requests, those of all pairs together; see docs/reference/limits.md, L121.
    static let mostSeries = 2000
    static let noLabels = 0
    static let otherLabels = 1

    private struct Labels: Hashable {
        let service: String
        let pattern: String
    }

    private struct WeakLoop: Sendable {
        weak var metrics: LoopMetrics?
    }

    private struct State {
        var labels: [Labels] = [
            Labels(service: "", pattern: ""),
            Labels(service: LabeledMetrics.other, pattern: LabeledMetrics.other),
        ]
        var numbers: [Labels: Int] = [:]
        var admitted: Set<RequestSeries.Key> = [.overflow]
        var loops: [WeakLoop] = []
        /// The counts of event loops that have ended.
        var ended: [RequestSeries.Key: RequestSeries] = [:]
    }

    private let state = Mutex(State())
    private let counting = Atomic(false)

    public init() {}

    /// Metrics were asked for.
    var isCounting: Bool { counting.load(ordering: .relaxed) }

    /// Begins to count requests, and to listen to the engine's events.
    @EngineActor
    public func begin(_ engine: Engine?) {
        counting.store(true, ordering: .relaxed)
        if let engine, upstream?.engine !== engine { upstream = UpstreamMetrics(engine) }
    }

    /// The counts of one event loop; nil until metrics are asked for.
    func makeLoop() -> LoopMetrics? {
        guard isCounting else { return nil }
        let loop = LoopMetrics(self)
        state.withLock { state in
            state.loops.removeAll { $0.metrics == nil }
            state.loops.append(WeakLoop(metrics: loop))
        }
        return loop
    }

    /// The number of a service and a pattern.
    func labels(_ service: String, _ pattern: String) -> Int {
        let labels = Labels(service: service, pattern: pattern)
        return state.withLock { state in
            if let number = state.numbers[labels] { return number }
            guard state.labels.count < Self.mostLabels else { return Self.otherLabels }
            state.labels.append(labels)
            state.numbers[labels] = state.labels.count - 1
            return state.labels.count - 1
        }
    }

    fileprivate func admit(_ key: RequestSeries.Key) -> RequestSeries.Key {
        state.withLock { state in
            if state.admitted.contains(key) { return key }
            guard state.admitted.count < Self.mostSeries else { return .overflow }
            state.admitted.insert(key)
            return key
        }
    }

    fileprivate func keep(_ series: [RequestSeries.Key: RequestSeries]) {
        state.withLock { $0.ended.merge(series) { $0.merged(with: $1) } }
    }

    /// The metrics of all event loops together.
    var families: [MetricFamily] {
        var (all, loops, labels) = state.withLock { ($0.ended, $0.loops.compactMap(\.metrics), $0.labels) }
        var (connections, streams) = (0, 0)
        for loop in loops {
            let reading = loop.reading
            all.merge(reading.series) { $0.merged(with: $1) }
            connections += reading.connections
            streams += reading.streams
        }
        return Self.requests(all, labels: labels.map { ($0.service, $0.pattern) }) + [
            MetricFamily(.gatewayConnections, Double(connections)),
            MetricFamily(.gatewayStreams, Double(streams)),
        ]
    }

    private static func requests(
        _ all: [RequestSeries.Key: RequestSeries], labels: [(service: String, pattern: String)]
    ) -> [MetricFamily] {
        var counts: [MetricFamily.Sample] = []
        var times: [[MetricFamily.Label]: MetricHistogram] = [:]
        var bytes: [[MetricFamily.Label]: Int] = [:]
        for (key, series) in all {
            let place: [MetricFamily.Label] = [
                .init("service", labels[key.labels].service), .init("pattern", labels[key.labels].pattern),
            ]
            let method = MetricFamily.Label("method", RequestSeries.methods[Int(key.method)])
            let outcome = RequestSeries.Outcome(rawValue: key.outcome)?.name ?? LabeledMetrics.other
            let status = key.status == 0 ? LabeledMetrics.other : "\(key.status)"
            counts.append(
                .init(
                    place + [method, .init("status", status), .init("outcome", outcome)],
                    .number(Double(series.histogram.counts.reduce(0, +)))))
            times[place + [method], default: MetricHistogram()].add(series.histogram)
            bytes[place, default: 0] += series.bytes
        }
        return [
            MetricFamily(.gatewayRequests, sorted(counts)),
            MetricFamily(
                .gatewayRequestSeconds, sorted(times.map { .init($0.key, .histogram($0.value)) })),
            MetricFamily(
                .gatewayBodyBytes, sorted(bytes.map { .init($0.key, .number(Double($0.value))) })),
        ]
    }

    private static func sorted(_ samples: [MetricFamily.Sample]) -> [MetricFamily.Sample] {
        samples.sorted { $0.labels.map(\.value).lexicographicallyPrecedes($1.labels.map(\.value)) }
    }

    /// The counts of the engine, once metrics are asked for.
    @EngineActor private var upstream: UpstreamMetrics?

    /// Failures that clients got since the start, by the error's code; see docs/reference/limits.md, L351.
    @EngineActor private(set) var failures: [String: Int] = [:]
    static let mostFailureCodes = 100

    /// Counts a failure, also before metrics are asked for. A script may name codes as it likes.
    @EngineActor
    func noteFailure(_ code: String) {
        let isKnown = failures[code] != nil || failures.count < Self.mostFailureCodes
        failures[isKnown ? code : LabeledMetrics.other, default: 0] += 1
    }

    @EngineActor
    var upstreamFamilies: [MetricFamily] { upstream?.families ?? [] }
}

extension RequestSeries {
    fileprivate func merged(with other: RequestSeries) -> RequestSeries {
        var sum = self
        sum.add(other)
        return sum
    }
}
