import Platform

#if os(Linux)

    /// Reports changes in folders by inotify. It watches folders and not files, because an editor that writes
    /// a new file and renames it would leave the watch on the old one.
    final class InotifyFolders: FolderWatching {
        // Events during the writing of a file only delay the next look at it.
        private static let interest =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB) | UInt32(IN_CREATE)
            | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)
            | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

        private let descriptor: Int32
        private var foldersByWatch: [Int32: String] = [:]
        private var watchesByFolder: [String: Int32] = [:]
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)

        init() throws(FolderWatchError) {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            if descriptor < 0 { throw Self.failure(errno) }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func watch(_ entries: Set<DirectoryEntry>) throws(FolderWatchError) {
            let wanted = Set(entries.map(\.folder))
            for (folder, watch) in watchesByFolder where !wanted.contains(folder) {
                inotify_rm_watch(descriptor, watch)
                forget(folder)
            }
            for folder in wanted where watchesByFolder[folder] == nil {
                let watch = inotify_add_watch(descriptor, folder, Self.interest)
                if watch >= 0 {
                    watchesByFolder[folder] = watch
                    foldersByWatch[watch] = folder
                } else if errno != ENOENT, errno != ENOTDIR {
                    throw Self.failure(errno)
                }
            }
        }

        func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent] {
            guard signal.wait(seconds, or: descriptor) else { return [] }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return [] }
            return buffer[..<count].withUnsafeBytes { InotifyRecords.read($0) }.compactMap(event)
        }

        private func event(_ record: InotifyRecords.Record) -> FolderEvent? {
            if record.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .anything }
            // The event belongs to a watch that was removed.
            guard let folder = foldersByWatch[record.watch] else { return nil }
            if record.mask & (UInt32(IN_IGNORED) | UInt32(IN_DELETE_SELF) | UInt32(IN_UNMOUNT)) != 0 {
                forget(folder)
                return .gone(folder)
            }
            if record.mask & UInt32(IN_MOVE_SELF) != 0 {
                // The watch moves with the folder, and the file is not searched there.
                inotify_rm_watch(descriptor, record.watch)
                forget(folder)
                return .gone(folder)
            }
            return record.name.isEmpty
                ? nil : .changed(DirectoryEntry(folder: folder, name: record.name))
        }

        private func forget(_ folder: String) {
            if let watch = watchesByFolder.removeValue(forKey: folder) { foldersByWatch[watch] = nil }
        }

        private static func failure(_ code: Int32) -> FolderWatchError {
            switch code {
            case ENOSPC:
                FolderWatchError(message: "no inotify watch is left (see fs.inotify.max_user_watches)")
            case EMFILE:
                FolderWatchError(
                    message: "no inotify instance is left (see fs.inotify.max_user_instances)")
            default: FolderWatchError(message: "inotify: \(String(cString: strerror(code)))")
            }
        }
    }
#endif

/// The records of an inotify descriptor (inotify(7)): watch, mask, cookie, length of the name, name padded
/// with zeros.
enum InotifyRecords {
    struct Record: Equatable {
        var watch: Int32
        var mask: UInt32
        /// Empty for an event of the watched folder itself.
        var name: String
    }

    static let headBytes = 16

    /// Reads the records. A record that is cut off at the end is left out.
    static func read(_ bytes: UnsafeRawBufferPointer) -> [Record] {
        var records: [Record] = []
        var start = 0
        while start + headBytes <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            let end = start + headBytes + length
            guard end <= bytes.count else { break }
            let name = bytes[(start + headBytes)..<end].prefix { $0 != 0 }
            records.append(
                Record(
                    watch: bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    mask: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                    name: String(decoding: name, as: UTF8.self)))
            start = end
        }
        return records
    }
}
