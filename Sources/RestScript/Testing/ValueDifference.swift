/// One place in which two values differ.
struct ValueDifference {
    /// From the values themselves to the place, such as `.users[3].name`; empty for the values.
    let path: String
    let expected: String
    let actual: String

    /// Differences that are told; more of them help nobody.
    static let shown = 5

    /// Several lines; the first says what is wrong.
    static func text(_ differences: [ValueDifference]) -> String {
        var text = "the values differ"
        if differences.count == 1, let only = differences.first {
            if !only.path.isEmpty { text += " at \(only.path)" }
            return text + only.lines(indent: "  ")
        }
        for difference in differences.prefix(shown) {
            text += "\n  at \(difference.path)" + difference.lines(indent: "    ")
        }
        if differences.count > shown { text += "\n  and at other places" }
        return text
    }

    private func lines(indent: String) -> String {
        "\n\(indent)expected: \(expected)\n\(indent)actual:   \(actual)"
    }
}
