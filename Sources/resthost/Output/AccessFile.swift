import Platform
import RestEngine
import Synchronization

/// A file to which lines are appended. Another program may rename it; `reopen()` then continues in a new file
/// of the same name.
final class AccessFile: Sendable {
    let path: String
    private let descriptor: Mutex<Int32>
    private let failed = Atomic<Int32>(0)

    /// Throws when it can't be written. A new file is for its user, and its group may read it.
    init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = Mutex(try Self.open(path))
    }

    deinit { close(descriptor.withLock { $0 }) }

    private static func open(_ path: String) throws(FileError) -> Int32 {
        let descriptor = Platform.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw FileError(path: path, reason: String(cString: strerror(errno)), action: "write")
        }
        return descriptor
    }

    /// On a failure the old file stays in use.
    func reopen() throws(FileError) {
        let new = try Self.open(path)
        descriptor.withLock { current in
            close(current)
            current = new
        }
        failed.store(0, ordering: .relaxed)
    }

    /// Appends lines in one piece. Returns the reason of the first failure since the file was opened.
    func add(_ text: MaskedText) -> String? {
        let code = descriptor.withLock { descriptor -> Int32 in
            var rest = text.bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        guard code != 0, failed.exchange(code, ordering: .relaxed) == 0 else { return nil }
        return String(cString: strerror(code))
    }
}
