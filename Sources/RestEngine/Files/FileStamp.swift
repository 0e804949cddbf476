import Platform

/// Identifies one version of a file: its inode, its size, and its time of change.
struct FileStamp: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let changed: [Int]

    /// Nil for a file that doesn't exist.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            changed = timeParts(of: status.st_mtimespec)
        #else
            changed = timeParts(of: status.st_mtim)
        #endif
    }
}

extension Upload {
    /// The paths of the files that it is read from.
    var files: [String] {
        switch self {
        case .file(let path): [path]
        case .stream: []
        case .multipart(let parts):
            parts.compactMap { if case .file(let path) = $0.source { path } else { nil } }
        }
    }
}

extension RequestPayload {
    /// The stamps of the files that it is read from; nil if it is not read from files.
    var fileStamps: [FileStamp?]? {
        if case .upload(let upload) = self { upload.files.map { FileStamp($0) } } else { nil }
    }
}
