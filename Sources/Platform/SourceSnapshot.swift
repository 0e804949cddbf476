import Synchronization

/// The texts of the files of a script, as one process read them, for other processes that must run the same
/// version: a file may change between two reads.
///
/// A snapshot knows each file that it was asked for, and notes the others when they are read from the disk.
/// So the process that reads first fills it, and the others get its ``files``.
package final class SourceSnapshot: Sendable {
    /// A nil text means that there was no such file.
    package typealias Files = [String: [UInt8]?]

    private static let used = Mutex<SourceSnapshot?>(nil)

    /// The snapshot that files are read through; nil when each is read from the disk. Any thread.
    package static var current: SourceSnapshot? {
        get { used.withLock { $0 } }
        set { used.withLock { $0 = newValue } }
    }

    private let known: Mutex<Files>

    package init(_ files: Files = [:]) { known = Mutex(files) }

    package var files: Files { known.withLock { $0 } }

    /// The text of a file: nil when it is not known yet, `.some(nil)` when there is no such file.
    package func text(of path: String) -> [UInt8]?? { known.withLock { $0[path] } }

    /// Notes a file that was read. The first text of a file stays.
    package func note(_ path: String, _ text: [UInt8]?) {
        known.withLock { files in
            if files[path] == nil { files[path] = .some(text) }
        }
    }
}
