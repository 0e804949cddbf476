import RestEngine

/// A text of the engine's log: the category before each line, in a column (rule 26.3).
enum EngineLogText {
    private static let width = EngineLog.Category.allCases.map(\.rawValue.count).max() ?? 0

    static func text(_ category: EngineLog.Category, _ text: String, prefix time: String = "") -> String {
        let name = category.rawValue
        let prefix = time + name + String(repeating: " ", count: width - name.count) + " │ "
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { prefix + VisibleText.inline(String($0)) + "\n" }.joined()
    }
}
