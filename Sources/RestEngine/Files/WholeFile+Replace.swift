import Platform

extension WholeFile {
    /// Replaces the file, or makes it, in one step: the bytes are written to a new file beside it, which then takes its
    /// place. A link at `path` is replaced, not followed.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        func failure() -> FileFailure { FileFailure(path: path, code: errno, action: "write") }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFLNK {
            throw FileFailure(path: path, reason: "it is not a regular file", action: "write")
        }
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure() }
        let mode =
            lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status.st_mode & 0o777 : 0o644
        let isWritten = writeAll(bytes, to: descriptor) && fchmod(descriptor, mode) == 0
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, rename(template, path) == 0 else {
            let reason = failure()
            unlink(template)
            throw reason
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Self.write(descriptor, $0[done...]) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    private static func write(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        return Platform.write(descriptor, bytes.baseAddress, bytes.count)
    }
}
