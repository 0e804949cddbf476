import Testing

@testable import Gateway

/// The metrics of several workers in one text.
struct MetricSumTests {
    private static let head = "# HELP a_total A.\n# TYPE a_total counter\n"
    private static let gauge = "# HELP g G.\n# TYPE g gauge\n"
    private static let histogram = "# HELP h H.\n# TYPE h histogram\n"

    private func sum(_ texts: String..., where isShown: ([MetricFamily.Label]) -> Bool = { _ in true })
        -> String
    {
        var sum = MetricSum()
        for (index, text) in texts.enumerated() { sum.add(text, of: index + 1, where: isShown) }
        return sum.text
    }

    @Test func `counters of the same labels are added up`() {
        let one = Self.head + "a_total{code=\"200\"} 3\na_total{code=\"500\"} 1\n"
        let two = Self.head + "a_total{code=\"200\"} 4\na_total{code=\"404\"} 0.5\n"
        #expect(
            sum(one, two) == Self.head
                + "a_total{code=\"200\"} 7\na_total{code=\"500\"} 1\na_total{code=\"404\"} 0.5\n")
    }

    @Test func `gauges get the number of their worker`() {
        #expect(
            sum(Self.gauge + "g 3\n", Self.gauge + "g{x=\"}\"} 4\n") == Self.gauge
                + "g{worker=\"1\"} 3\ng{x=\"}\",worker=\"2\"} 4\n")
    }

    @Test func `ranges, sum and count of histograms are added up`() {
        let text = Self.histogram + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 1.5\nh_count 3\n"
        #expect(
            sum(text, text) == Self.histogram
                + "h_bucket{le=\"1\"} 4\nh_bucket{le=\"+Inf\"} 6\nh_sum 3\nh_count 6\n")
    }

    @Test func `a family that one worker alone has stays`() {
        #expect(sum("", Self.head + "a_total 1\n") == Self.head + "a_total 1\n")
    }

    @Test func `what a client may not see is left out`() {
        let text = Self.head + "a_total{service=\"a\\\"b\",x=\"1\"} 3\na_total{service=\"c\"} 1\na_total 9\n"
        var seen: [String?] = []
        let shown = sum(text) { labels in
            seen.append(labels.first { $0.name == "service" }?.value)
            return labels.first?.value != "c"
        }
        #expect(seen == ["a\\\"b", "c", nil])
        #expect(shown == Self.head + "a_total{service=\"a\\\"b\",x=\"1\"} 3\na_total 9\n")
    }

    @Test(arguments: [
        "x", "# TYPE a", "a{ 1", "a{b 1", "a{b= 1", "a{b=\" 1", "# TYPE a counter\na{b=\"c 1", " ", "a ",
    ])
    func `a text of another form does no harm`(text: String) {
        _ = sum(text, "# HELP a A\n# TYPE a counter\n" + text)
    }
}
