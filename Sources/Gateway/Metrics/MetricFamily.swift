/// The values of one metric at one time.
public struct MetricFamily: Sendable, Equatable {
    /// One value, or the values of one histogram, identified by its labels.
    public struct Sample: Sendable, Equatable {
        /// In the order in which they are written.
        public var labels: [Label]
        public var value: Value

        public init(_ labels: [Label], _ value: Value) {
            self.labels = labels
            self.value = value
        }

        /// The value of a label; nil if the sample doesn't have it.
        subscript(name: String) -> String? { labels.first { $0.name == name }?.value }
    }

    /// A name with its value.
    public struct Label: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public enum Value: Sendable, Equatable {
        case number(Double)
        case histogram(MetricHistogram)
    }

    public var name: MetricName
    public var samples: [Sample]

    public init(_ name: MetricName, _ samples: [Sample]) {
        self.name = name
        self.samples = samples
    }

    /// A family with one value and no labels.
    public init(_ name: MetricName, _ value: Double) { self.init(name, [Sample([], .number(value))]) }
}

/// The distribution of durations, in seconds.
public struct MetricHistogram: Sendable, Equatable {
    /// The upper bounds of the ranges. The last range has none.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// The counts by range.
    private(set) var counts = Array(repeating: UInt64(0), count: bounds.count + 1)
    private(set) var sum = 0.0

    public init() {}

    public mutating func add(_ seconds: Double) {
        let seconds = max(0, seconds)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }

    mutating func add(_ other: MetricHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}

/// Writes metrics in Prometheus' text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
enum MetricText {
    static let type = "text/plain; version=0.0.4; charset=utf-8"

    /// Writes the families, except those without samples.
    static func write(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            let name = family.name.rawValue
            text += "# HELP \(name) \(family.name.help)\n# TYPE \(name) \(family.name.kind.rawValue)\n"
            for sample in family.samples { write(sample, name, to: &text) }
        }
        return text
    }

    private static func write(_ sample: MetricFamily.Sample, _ name: String, to text: inout String) {
        let labels = sample.labels.map { "\($0.name)=\"\(escape($0.value))\"" }
        switch sample.value {
        case .number(let value): text += "\(name)\(braces(labels)) \(number(value))\n"
        case .histogram(let histogram):
            var total: UInt64 = 0
            for (index, count) in histogram.counts.enumerated() {
                total += count
                let bound =
                    index < MetricHistogram.bounds.count ? number(MetricHistogram.bounds[index]) : "+Inf"
                text += "\(name)_bucket\(braces(labels + ["le=\"\(bound)\""])) \(total)\n"
            }
            text += "\(name)_sum\(braces(labels)) \(number(histogram.sum))\n"
            text += "\(name)_count\(braces(labels)) \(total)\n"
        }
    }

    private static func braces(_ labels: [String]) -> String {
        labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    }

    static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? (value.isFinite ? "\(value)" : "NaN")
    }

    private static func escape(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return value }
        return String(
            value.unicodeScalars.flatMap { scalar -> [Character] in
                switch scalar {
                case "\\": ["\\", "\\"]
                case "\"": ["\\", "\""]
                case "\n": ["\\", "n"]
                default: [Character(scalar)]
                }
            })
    }
}
