#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a file can't be read.
public struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public let path: String
    /// A few words, as the system has them: "No such file or directory".
    public let reason: String
    /// The system's number of the failure; 0 when it is not the system's.
    public let code: Int32

    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
        code = 0
    }

    /// `code`: of `errno`.
    init(path: String, code: Int32) {
        self.path = path
        self.code = code
        reason = String(cString: strerror(code))
    }

    public var description: String { "cannot read '\(path)': \(reason)" }
}
