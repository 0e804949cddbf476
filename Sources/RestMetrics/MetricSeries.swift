import CoreMetrics
import RestEngine

/// The metrics of an engine, each made at its first use and then kept.
@EngineActor
final class MetricSeries {
    /// Series of one metric; further ones are counted together, with `other` as their labels. See
    /// docs/reference/limits.md, L393.
    private static let mostSeries = 500

    /// The name and the values of the labels.
    private struct Key: Hashable {
        let name: String
        let values: [String]
    }

    private let factory: any MetricsFactory
    private var counters: [Key: Counter] = [:]
    private var timers: [Key: CoreMetrics.Timer] = [:]
    private var meters: [Key: Meter] = [:]
    private var counts: [String: Int] = [:]
    let openRequests: Meter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        openRequests = Meter(label: "resthost_open_requests", factory: factory)
    }

    func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        find(name, labels, in: \.counters) { Counter(label: name, dimensions: $0, factory: factory) }
    }

    func timer(_ name: String, _ labels: [(String, String)]) -> CoreMetrics.Timer {
        find(name, labels, in: \.timers) {
            CoreMetrics.Timer(label: name, dimensions: $0, factory: factory)
        }
    }

    func meter(_ name: String, _ labels: [(String, String)]) -> Meter {
        find(name, labels, in: \.meters) { Meter(label: name, dimensions: $0, factory: factory) }
    }

    private func find<Metric>(
        _ name: String, _ labels: [(String, String)],
        in all: ReferenceWritableKeyPath<MetricSeries, [Key: Metric]>,
        _ make: ([(String, String)]) -> Metric
    ) -> Metric {
        var (labels, key) = (labels, Key(name: name, values: labels.map(\.1)))
        if let known = self[keyPath: all][key] { return known }
        if counts[name, default: 0] >= Self.mostSeries {
            labels = labels.map { ($0.0, "other") }
            key = Key(name: name, values: labels.map(\.1))
            if let known = self[keyPath: all][key] { return known }
        }
        counts[name, default: 0] += 1
        let new = make(labels)
        self[keyPath: all][key] = new
        return new
    }
}
