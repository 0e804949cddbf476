import Platform

/// A regular file, open for reading at any offset as long as this object lives.
///
/// Reading blocks the calling thread while the disk works. Pipes and devices, which may block for longer, are
/// refused.
package final class OpenFile: Sendable {
    /// The path as it was given, for messages.
    package let path: String
    /// Bytes, at the time of opening.
    package let size: Int64
    private let descriptor: Int32

    /// Throws if it is no regular file, or can't be opened.
    package init(_ path: String) throws(FileError) {
        guard !path.utf8.contains(0) else {
            throw FileError(path: path.printable, reason: "a path can't contain a NUL")
        }
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
            let failure =
                switch (isKnown, status.st_mode & S_IFMT) {
                case (false, _): FileError(path: path, code: errno)
                case (_, S_IFDIR): FileError(path: path, code: EISDIR)
                default: FileError(path: path, reason: "it is not a regular file")
                }
            closeFile(descriptor)
            throw failure
        }
        self.path = path
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit { closeFile(descriptor) }

    /// Fills the buffer as far as the file goes. Returns the number of bytes, 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw FileError(path: path, code: errno) }
        }
    }

    /// The bytes from the start up to ``size``.
    package func readAll() throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(size))
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < size {
            let count = try chunk.withUnsafeMutableBufferPointer { (chunk) throws(FileError) in
                try read(into: UnsafeMutableRawBufferPointer(chunk), at: Int64(bytes.count))
            }
            guard count > 0 else { throw becameShorter }
            bytes += chunk[..<min(count, Int(size) - bytes.count)]
        }
        return bytes
    }

    /// The error for a file that is now shorter than the announced ``size``.
    package var becameShorter: FileError {
        FileError(path: path, reason: "it became shorter while it was read")
    }
}

// Inside types `close` has another meaning.
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

/// The reason why a file can't be read or written.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path as it was given, for messages.
    public let path: String
    /// The system's message: "No such file or directory".
    public let reason: String
    /// The system's error number; 0 for an error that is not the system's.
    package let code: Int32

    /// The failed operation: "read", "write".
    public let action: String

    package init(path: String, reason: String, action: String = "read") {
        self.path = path
        self.action = action
        self.reason = reason
        code = 0
    }

    /// - Parameter code: A value of `errno`.
    init(path: String, code: Int32, action: String = "read") {
        self.path = path
        self.action = action
        self.code = code
        reason = String(cString: strerror(code))
    }

    /// Whether the file does not exist.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    public var description: String { "cannot \(action) '\(path)': \(reason)" }
}
