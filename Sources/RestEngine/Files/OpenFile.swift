import Platform

/// A regular file, open for reading at any place, for as long as this object lives.
///
/// Reading blocks its thread for as long as the disk takes. What may block for longer, a pipe or a device, is
/// refused.
package final class OpenFile: Sendable {
    /// The path as it was given, for messages.
    package let path: String
    /// In bytes, when it was opened.
    package let size: Int64
    private let descriptor: Int32

    /// Throws for what is no regular file, or can't be opened.
    package init(_ path: String) throws(FileError) {
        guard !path.utf8.contains(0) else {
            throw FileError(path: path.printable, reason: "a path can't contain a NUL")
        }
        // Without O_NONBLOCK the opening of a pipe would wait for its writer.
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

    /// Fills the buffer as far as the file goes; the number of bytes, 0 at the file's end.
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

    /// For whoever needs the ``size`` that was announced and did not find it.
    package var becameShorter: FileError {
        FileError(path: path, reason: "it became shorter while it was read")
    }
}

// `close` names other things inside of types.
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

/// Why a file can't be read or written.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path as it was given, for messages.
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
