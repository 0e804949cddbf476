import Platform
import Synchronization

/// A file that is written beside the place that it shall take: whoever looks there sees what was before, or
/// all of it. One that never takes its place goes with this object.
///
/// Writing blocks its thread for as long as the disk takes. One thread at a time.
package final class PartialFile: Sendable {
    /// The place, for messages.
    package let path: String
    private let temporary: [CChar]
    private let mode: mode_t
    /// -1 when it is closed.
    private let descriptor: Atomic<Int32>

    /// Throws for a place that holds something else than a regular file, and where none can be made. A link
    /// is replaced, not followed.
    package init(for path: String) throws(FileError) {
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
        mode = isThere && kind == S_IFREG ? status.st_mode & 0o777 : 0o644
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

    /// Forgets what was written behind that many bytes.
    package func cut(to count: Int64) throws(FileError) {
        guard ftruncate(descriptor.load(ordering: .relaxed), off_t(count)) == 0 else { throw failure }
    }

    /// Takes its place, with the rights of the file that was there. No effect on one that has.
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

    /// It is not wanted any more. No effect on one that has taken its place.
    package func discard() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        _ = closeFile(descriptor)
        unlink(temporary)
    }
}

// `close` names other things inside of types.
private func closeFile(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }
