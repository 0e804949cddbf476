import Synchronization

/// Variables that a script or one of its modules asked `os.getenv` for and was not granted. It gets nil, as for one that
/// isn't set, so once for each name the log says which it was. Safe on any thread.
final class VariableRefusals: Sendable {
    private let told = Mutex<Set<String>>([])

    /// What to log, the first time that the name is asked for.
    ///
    /// - Parameter refusal: what would allow it.
    func entry(_ name: String, _ refusal: String, place: String?) -> ScriptLogEntry? {
        guard told.withLock({ $0.insert(name).inserted }) else { return nil }
        return ScriptLogEntry(level: .warn, text: Self.text(name, refusal), place: place)
    }

    static func text(_ name: String, _ refusal: String) -> String {
        "os.getenv gives nil for '\(name)', for reading this environment variable is not allowed: \(refusal)"
    }
}
