import LuaRuntime

/// A run that doesn't come back, as the log tells it.
enum WedgeText {
    static func entry(_ wedge: LuaWedge) -> ScriptLogEntry {
        let seconds = text(wedge.seconds)
        if wedge.isOver {
            return ScriptLogEntry(level: .warn, text: "\(wedge.phase): it came back after \(seconds) s")
        }
        return ScriptLogEntry(
            level: .error,
            text:
                "\(wedge.phase): for \(seconds) s now it has not come back, and its limit of \(text(wedge.limit)) s "
                + "can't end it: it hangs in a call of the host. Until then nothing but what is published is answered; "
                + "if it stays so, start resthost again and report what the \(wedge.phase) calls")
    }

    /// To the tenth; limits may be shorter.
    private static func text(_ seconds: Double) -> String {
        let unit: Double = seconds < 0.95 ? 1000 : 10
        return "\((seconds * unit).rounded() / unit)"
    }
}
