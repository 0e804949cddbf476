/// Adds the metrics of several workers, as texts of ``MetricText``: counters and histograms are added up, and
/// each gauge gets a label with the number of its worker.
struct MetricSum {
    private struct Family {
        /// The lines with `#`.
        var head: String
        var isGauge: Bool
        /// The names of the series with their labels, in the order in which they came.
        var order: [String] = []
        var values: [String: Double] = [:]
    }

    private var order: [String] = []
    private var families: [String: Family] = [:]

    init() {}

    /// - Parameter isShown: Whether the client may see a series with these labels.
    mutating func add(
        _ text: String, of worker: Int, where isShown: ([MetricFamily.Label]) -> Bool = { _ in true }
    ) {
        var name = ""
        var help = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") {
                help = String(line)
            } else if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                guard words.count == 4 else { continue }
                name = String(words[2])
                if families[name] == nil {
                    order.append(name)
                    families[name] = Family(head: "\(help)\n\(line)\n", isGauge: words[3] == "gauge")
                }
            } else if let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...]),
                let isGauge = families[name]?.isGauge
            {
                var series = String(line[..<space])
                guard isShown(Self.labels(series)) else { continue }
                if isGauge { series = Self.adding(worker, to: series) }
                if families[name]?.values[series] == nil { families[name]?.order.append(series) }
                families[name]?.values[series, default: 0] += value
            }
        }
    }

    var text: String {
        var text = ""
        for name in order {
            guard let family = families[name], !family.order.isEmpty else { continue }
            text += family.head
            for series in family.order {
                text += "\(series) \(MetricText.number(family.values[series] ?? 0))\n"
            }
        }
        return text
    }

    private static func adding(_ worker: Int, to series: String) -> String {
        series.hasSuffix("}")
            ? series.dropLast() + ",worker=\"\(worker)\"}" : series + "{worker=\"\(worker)\"}"
    }

    /// The labels of a series, with the values as they are escaped.
    private static func labels(_ series: String) -> [MetricFamily.Label] {
        guard let start = series.firstIndex(of: "{") else { return [] }
        var labels: [MetricFamily.Label] = []
        var rest = series[series.index(after: start)...]
        while let equals = rest.firstIndex(of: "="), let name = rest[..<equals].split(separator: ",").last {
            var value = ""
            var isEscaped = false
            var place = rest.index(equals, offsetBy: 2, limitedBy: rest.endIndex) ?? rest.endIndex
            while place < rest.endIndex, isEscaped || rest[place] != "\"" {
                isEscaped = !isEscaped && rest[place] == "\\"
                value.append(rest[place])
                place = rest.index(after: place)
            }
            labels.append(.init(String(name), value))
            guard place < rest.endIndex else { break }
            rest = rest[rest.index(after: place)...]
        }
        return labels
    }
}
