import Platform
import RestEngine

/// The file system as a watcher sees it. Tests use their own.
struct FileView: Sendable {
    /// A value that shows whether a file has changed.
    enum Fingerprint: Hashable, Sendable {
        case missing
        case content(hash: Int, bytes: Int)
        /// The file is too large, or can't be read; the hash is of its description.
        case description(hash: Int)
    }

    var kind: @Sendable (String) -> PathEntries.Kind
    var fingerprint: @Sendable (String) -> Fingerprint
    /// The time when the file was last changed or put in its place, in Unix seconds; nil when it does not
    /// exist.
    var changeTime: @Sendable (String) -> Double?

    static let system = FileView(
        kind: { kind(of: $0) }, fingerprint: { fingerprint(of: $0) }, changeTime: { changeTime(of: $0) })

    /// The clock with which the system stamps files. On Linux it is some milliseconds late.
    static var now: Double {
        #if os(Linux)
            ClockReading.seconds(of: CLOCK_REALTIME_COARSE)
        #else
            ClockReading.timeOfDay
        #endif
    }

    private static let maxBytes = 32 << 20

    private static func kind(of path: String) -> PathEntries.Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .missing }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFLNK:
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &target, target.count)
            guard count > 0 else { return .missing }
            let bytes = target.prefix(count).map { UInt8(bitPattern: $0) }
            return .link(to: String(decoding: bytes, as: UTF8.self))
        default: return .other
        }
    }

    private static func changeTime(of path: String) -> Double? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_ctimespec
        #else
            let time = status.st_ctim
        #endif
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func fingerprint(of path: String) -> Fingerprint {
        var status = stat()
        guard stat(path, &status) == 0 else { return .missing }
        // A read of a pipe could wait for ever.
        if status.st_mode & S_IFMT == S_IFREG, status.st_size <= off_t(maxBytes),
            let bytes = try? WholeFile.read(path, limit: maxBytes)
        {
            var hasher = Hasher()
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            return .content(hash: hasher.finalize(), bytes: bytes.count)
        }
        return .description(hash: FileStamp(status).hashValue)
    }
}

/// The system's data on a file's last change.
struct FileStamp: Hashable {
    private let numbers: [Int]

    init(_ status: stat) {
        #if canImport(Darwin)
            let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
        #else
            let (changed, modified) = (status.st_ctim, status.st_mtim)
        #endif
        numbers = [
            Int(truncatingIfNeeded: status.st_ino), Int(truncatingIfNeeded: status.st_dev),
            Int(status.st_size), changed.tv_sec, changed.tv_nsec, modified.tv_sec, modified.tv_nsec,
        ]
    }

    /// The stamp of the path itself, even if it is a link; nil when it does not exist.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
