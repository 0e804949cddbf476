/// Something wrong with a script, for people.
public struct Diagnostic: Error, Sendable, Equatable {
    public enum Severity: String, Sendable { case error, warning }

    public var severity: Severity
    /// Which kind of finding it is, for programs; the names are stable (see <doc:Tools>).
    public var code: String
    public var message: String
    public var file: String?
    public var line: Int?
    public var traceback: String?
    /// What to do about it, where that is known.
    public var hint: String?

    public init(
        _ severity: Severity = .error, code: String = "script", _ message: String, file: String? = nil,
        line: Int? = nil,
        traceback: String? = nil, hint: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.traceback = traceback
        self.hint = hint
    }
}
