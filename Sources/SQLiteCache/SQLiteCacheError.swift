/// Why the cache could not do what it was asked. The engine logs it and goes on without (rule D18).
public struct SQLiteCacheError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The file can't be opened or made.
        case unavailable
        /// The disk, or the file's quota, is full.
        case full
        /// The file may be read but not changed.
        case readOnly = "read_only"
        /// Another process held the file's lock for too long.
        case busy
        /// More than SQLite or the memory takes at once.
        case tooLarge = "too_large"
        /// Operations come faster than the disk takes them.
        case overloaded
        /// Reading or writing failed.
        case io
        case other

        /// A smaller operation may succeed where one failed with this.
        var dependsOnSize: Bool { self == .full || self == .tooLarge }
    }

    /// Stable, for programs.
    public let code: Code
    /// One sentence, with the file.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension SQLiteCacheError {
    init(_ error: SQLiteError, path: String) {
        let (code, what): (Code, String) =
            switch error.kind {
            case .cannotOpen: (.unavailable, "can't be opened; its folder must exist and be writable")
            case .damage: (.unavailable, "is damaged, and so is what replaced it")
            case .full: (.full, "can't grow: the disk or a quota is full")
            case .readOnly: (.readOnly, "can't be written")
            case .busy: (.busy, "is locked by another process")
            case .io: (.io, "can't be read or written")
            case .size: (.tooLarge, "can't take it")
            case .other: (.other, "failed")
            }
        self.init(code, "'\(path)' \(what): \(error)")
    }
}
