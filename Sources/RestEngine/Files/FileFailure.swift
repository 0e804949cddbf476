import Platform

/// Why a file can't be read or written.
public struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// As it was given.
    public let path: String
    /// A few words, as the system has them: "No such file or directory".
    public let reason: String
    /// The system's number of the failure; 0 when it is not the system's.
    public let code: Int32

    /// What was tried: "read", "write".
    public let action: String

    public init(path: String, reason: String, action: String = "read") {
        self.path = path
        self.action = action
        self.reason = reason
        code = 0
    }

    /// `code`: of `errno`.
    init(path: String, code: Int32, action: String = "read") {
        self.path = path
        self.action = action
        self.code = code
        reason = String(cString: strerror(code))
    }

    /// There is no such file.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    public var description: String { "cannot \(action) '\(path)': \(reason)" }
}
