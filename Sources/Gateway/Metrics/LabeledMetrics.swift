/// Values by their labels. Their number is limited; further ones are counted under `other` (rule 65.3).
struct LabeledMetrics {
    /// Of one metric; see docs/reference/limits.md, L122.
    static let mostSeries = 500
    static let other = "other"

    let name: MetricName
    private let labels: [String]
    private var numbers: [[String]: Double] = [:]
    private var histograms: [[String]: MetricHistogram] = [:]

    init(_ name: MetricName, _ labels: [String]) {
        self.name = name
        self.labels = labels
    }

    /// - Parameter values: One for each label.
    mutating func add(_ values: [String], by amount: Double = 1) {
        numbers[admitted(values, isKnown: numbers[values] != nil, numbers.count), default: 0] += amount
    }

    mutating func observe(_ seconds: Double, _ values: [String]) {
        let key = admitted(values, isKnown: histograms[values] != nil, histograms.count)
        histograms[key, default: MetricHistogram()].add(seconds)
    }

    private func admitted(_ values: [String], isKnown: Bool, _ count: Int) -> [String] {
        // The last slot is for `other`.
        isKnown || count < Self.mostSeries - 1 ? values : values.map { _ in Self.other }
    }

    var family: MetricFamily {
        let all: [([String], MetricFamily.Value)] =
            numbers.map { ($0.key, .number($0.value)) } + histograms.map { ($0.key, .histogram($0.value)) }
        return MetricFamily(
            name,
            all.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map { values, value in
                MetricFamily.Sample(zip(labels, values).map { MetricFamily.Label($0, $1) }, value)
            })
    }
}
