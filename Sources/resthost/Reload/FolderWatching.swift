import Platform

/// An event in a watched folder.
enum FolderEvent: Equatable, Sendable {
    case changed(DirectoryEntry)
    /// The folder was removed or moved away. Another one may replace it.
    case gone(String)
    /// Events were lost, so anything may have changed.
    case anything
}

/// Reports changes of entries. It belongs to one thread.
protocol FolderWatching: AnyObject {
    /// Watches only these entries. Entries without a folder are ignored. Throws when the system refuses.
    func watch(_ entries: Set<DirectoryEntry>) throws(FolderWatchError)

    /// Waits for an event, for ``WatchSignal/wake()``, or for so many seconds. It may return early without
    /// events.
    func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent]
}

/// The system can't watch, so another method is needed.
struct FolderWatchError: Error, Equatable {
    var message: String
}

/// Polls files, where the system reports no changes.
final class PollingFolders: FolderWatching {
    /// The period in seconds.
    static let period = 0.5

    private var stamps: [DirectoryEntry: FileStamp?] = [:]

    func watch(_ entries: Set<DirectoryEntry>) {
        stamps = entries.reduce(into: [:]) { stamps, entry in
            stamps[entry] = .some(self.stamps[entry] ?? Self.stamp(entry))
        }
    }

    func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent] {
        _ = signal.wait(min(Self.period, seconds ?? Self.period))
        return look()
    }

    /// The changes since the last look.
    func look() -> [FolderEvent] {
        var events: [FolderEvent] = []
        for (entry, before) in stamps {
            let now = Self.stamp(entry)
            guard now != before else { continue }
            stamps[entry] = .some(now)
            events.append(.changed(entry))
        }
        return events
    }

    private static func stamp(_ entry: DirectoryEntry) -> FileStamp? {
        FileStamp(entry.folder + "/" + entry.name)
    }
}

/// Wakes a thread that waits for descriptors. Any thread may call it.
final class WatchSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let made = pipe(&ends)
        if made != 0 { Shortage.stop("no file descriptor is left for watching the script") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits for the signal, for `descriptor` if there is one, or for so many seconds. True when the
    /// descriptor can be read.
    func wait(_ seconds: Double?, or descriptor: Int32? = nil) -> Bool {
        var watched = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
        if let descriptor { watched.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
        let milliseconds = seconds.map { Int32((max(0, min($0, 1e6)) * 1000).rounded(.up)) } ?? -1
        guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return false }
        if watched[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(readEnd, &bytes, bytes.count) > 0 {}
        }
        return watched.count > 1 && watched[1].revents != 0
    }
}
