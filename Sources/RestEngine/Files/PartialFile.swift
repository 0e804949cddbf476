import Platform
import Synchronization

/// A file that is written under a temporary name beside its path and moved there when it is complete: readers
/// of the path see the old file or the complete new one. If it is never moved, it is removed together with
/// this object.
///
/// Writing blocks the calling thread while the disk works. Only one thread at a time may use it.
package final class PartialFile: Sendable {
    /// The final path, for messages.
    package let path: String
    private let temporary: [CChar]
    private let mode: mode_t
    /// -1 after closing.
    private let descriptor: Atomic<Int32>

    /// Throws if the path holds something other than a regular file, or if no file can be made there. A link
    /// is replaced, not followed.
    ///
    /// - Parameter mode: The permissions; nil: those of the file that is there, or else 0644.
    package init(for path: String, mode: Int? = nil) throws(FileError) {
        guard !path.utf8.contains(0) else {
            throw FileError(path: path.printable, reason: "a path can't contain a NUL", action: "write")
        }
        var status = stat()
        let isThere = lstat(path, &status) == 0
        let kind = status.st_mode & S_IFMT
        if isThere, kind != S_IFREG, kind != S_IFLNK {
            throw FileError(path: path, reason: "it is not a regular file", action: "write")
        }
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno, action: "write") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.path = path
        self.descriptor = Atomic(descriptor)
        temporary = template
        self.mode = mode.map { mode_t($0) } ?? (isThere && kind == S_IFREG ? status.st_mode & 0o777 : 0o644)
    }

    deinit { discard() }

    private var failure: FileError { FileError(path: path, code: errno, action: "write") }

    package func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        let descriptor = descriptor.load(ordering: .relaxed)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure }
            done += count
        }
    }

    /// Cuts the file to that many bytes.
    package func cut(to count: Int64) throws(FileError) {
        guard ftruncate(descriptor.load(ordering: .relaxed), off_t(count)) == 0 else { throw failure }
    }

    /// Moves the file to its path, with the permissions of the file that was there. No effect if it was moved
    /// already.
    package func commit() throws(FileError) {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        let hasMode = fchmod(descriptor, mode) == 0
        guard closeFile(descriptor), hasMode, rename(temporary, path) == 0 else {
            let reason = failure
            unlink(temporary)
            throw reason
        }
    }

    /// Removes the file. No effect if it was moved to its path.
    package func discard() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        _ = closeFile(descriptor)
        unlink(temporary)
    }
}

// Inside types `close` has another meaning.
private func closeFile(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }
