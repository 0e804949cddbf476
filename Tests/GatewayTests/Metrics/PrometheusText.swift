/// Reads Prometheus' text format strictly.
struct PrometheusText {
    struct Fault: Error {
        let line: String
        let why: String
    }

    private(set) var types: [String: String] = [:]
    /// The values by name and labels as they are written.
    private(set) var values: [String: Double] = [:]

    init(_ text: String) throws(Fault) {
        guard text.hasSuffix("\n") else { throw Fault(line: "", why: "no line end at the end") }
        var finished: Set<String> = []
        var current = ""
        var order: [String: (bound: Double, count: Double)] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        {
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            if line.hasPrefix("# HELP ") {
                guard words.count > 3, finished.insert(current).inserted || current.isEmpty,
                    !finished.contains(words[2])
                else { throw Fault(line: line, why: "help again, or none") }
                current = words[2]
                continue
            }
            if line.hasPrefix("# TYPE ") {
                guard words.count == 4, words[2] == current, types[current] == nil,
                    ["counter", "gauge", "histogram"].contains(words[3])
                else { throw Fault(line: line, why: "a wrong type") }
                types[current] = words[3]
                continue
            }
            let (series, value) = try Self.sample(line)
            let name = series.prefix { $0 != "{" }
            let isHistogram = types[current] == "histogram"
            let allowed = isHistogram ? ["_bucket", "_sum", "_count"].map { current + $0 } : [current]
            guard allowed.contains(String(name)) else { throw Fault(line: line, why: "not of \(current)") }
            guard values.updateValue(value, forKey: series) == nil else {
                throw Fault(line: line, why: "there twice")
            }
            guard name.hasSuffix("_bucket"), let at = series.range(of: "le=\"") else { continue }
            let bound = series[at.upperBound...].prefix { $0 != "\"" }
            let key = String(series[..<at.lowerBound])
            let number = bound == "+Inf" ? Double.infinity : Double(bound) ?? .nan
            if let before = order[key], !(before.bound < number && before.count <= value) {
                throw Fault(line: line, why: "ranges out of order")
            }
            order[key] = (number, value)
        }
        guard order.values.allSatisfy({ $0.bound == .infinity }) else {
            throw Fault(line: "", why: "a histogram without +Inf")
        }
    }

    private static func sample(_ line: String) throws(Fault) -> (String, Double) {
        var rest = line[...]
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard !name.isEmpty, !(name.first?.isNumber ?? true) else { throw Fault(line: line, why: "no name") }
        rest = rest.dropFirst(name.count)
        if rest.first == "{" {
            repeat {
                rest = rest.dropFirst()
                let label = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                rest = rest.dropFirst(label.count)
                guard !label.isEmpty, rest.hasPrefix("=\"") else { throw Fault(line: line, why: "no label") }
                rest = rest.dropFirst(2)
                while let character = rest.first, character != "\"" {
                    rest = rest.dropFirst()
                    guard character == "\\" else { continue }
                    guard let next = rest.popFirst(), "\\\"n".contains(next) else {
                        throw Fault(line: line, why: "an escape that is none")
                    }
                }
                guard rest.popFirst() == "\"" else { throw Fault(line: line, why: "a value without end") }
            } while rest.first == ","
            guard rest.popFirst() == "}" else { throw Fault(line: line, why: "labels without end") }
        }
        let series = String(line[..<rest.startIndex])
        guard rest.first == " ", let value = Double(rest.dropFirst()) else {
            throw Fault(line: line, why: "no value")
        }
        return (series, value)
    }

    subscript(series: String) -> Double? { values[series] }
}

extension String {
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
