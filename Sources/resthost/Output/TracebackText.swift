/// A traceback as people read it: the calls that led to the line which the message names already.
enum TracebackText {
    /// One line for each call, innermost first. Empty when there is nothing but the place itself.
    static func text(_ traceback: String?, _ style: Style) -> String {
        // Functions of the host have no place that would tell a reader of the script anything.
        let calls = (traceback ?? "").split(separator: "\n").filter { !$0.hasPrefix("[C]: ") }
        guard calls.count > 1 else { return "" }
        var text = ""
        var rest = calls[...]
        while let call = rest.first {
            // A recursion says the same many times.
            let times = rest.prefix { $0 == call }.count
            rest = rest.dropFirst(times)
            text +=
                style.dim("    at \(VisibleText.inline(String(call)))\(times > 1 ? " (\(times) times)" : "")")
                + "\n"
        }
        return text
    }
}
