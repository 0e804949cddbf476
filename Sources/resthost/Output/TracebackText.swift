/// A traceback as people read it: the calls that led to the line which the message names already.
enum TracebackText {
    /// One line for each call, innermost first. Empty when there is nothing but the place itself.
    static func text(_ traceback: String?, _ style: Style) -> String {
        // Functions of the host have no place that would tell a reader of the script anything.
        let calls = (traceback ?? "").split(separator: "\n").filter { !$0.hasPrefix("[C]: ") }
        guard calls.count > 1 else { return "" }
        return calls.map { style.dim("    at \($0)") + "\n" }.joined()
    }
}
