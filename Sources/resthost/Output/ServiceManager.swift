import Platform

/// What started the program, as far as its log is concerned.
enum ServiceManager {
    /// The journal takes what is written to standard error, and notes the time of each line: systemd.exec(5) on
    /// `JOURNAL_STREAM`, which names device and inode, for standard error may have been redirected since.
    static var notesTimes: Bool {
        notesTimes(getenv("JOURNAL_STREAM").map { String(cString: $0) }, of: STDERR_FILENO)
    }

    static func notesTimes(_ stream: String?, of descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
