import Platform
import RestEngine

/// Where fixtures come from: a folder, or a test's table.
protocol FixtureFiles: Sendable {
    /// The regular file at these names below the root, else nil.
    func read(_ names: [String]) -> FixtureFile?
    /// The names in the folder at these names, sorted and without hidden ones; nil when it is no folder.
    func names(in folder: [String]) -> [String]?
}

/// A file's content and when it was last written, in Unix seconds.
struct FixtureFile: Sendable, Equatable {
    var bytes: [UInt8]
    var modified: Int
}

/// A folder on disk. Each name is opened relative to its parent's descriptor and never through a symbolic
/// link, so no path can leave the folder, not even when a folder is swapped for a link meanwhile.
final class FixtureFolder: FixtureFiles {
    private let root: Int32

    /// Throws the reason, as one sentence.
    init(_ path: String) throws(FixtureServerError) {
        root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw FixtureServerError("cannot serve the folder \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(root) }

    /// The text of the root's `.protected`, empty when there is none. Throws for one that can't be read: its
    /// paths must not be left open.
    func protectedPaths() throws(FixtureServerError) -> String {
        let name = FixtureGuard.fileName
        guard faccessat(root, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT else { return "" }
        guard let file = read([name]), let text = String(validating: file.bytes, as: UTF8.self) else {
            throw FixtureServerError("cannot read \(name) in the folder: expected a plain file in UTF-8")
        }
        return text
    }

    func read(_ names: [String]) -> FixtureFile? {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        guard let file = descriptor(names, O_RDONLY | O_NONBLOCK) else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let modified = status.st_mtimespec.tv_sec
        #else
            let modified = status.st_mtim.tv_sec
        #endif
        let bytes = try? WholeFile.read(file, of: names.joined(separator: "/"), limit: .max)
        return bytes.map { FixtureFile(bytes: $0, modified: Int(modified)) }
    }

    func names(in folder: [String]) -> [String]? {
        descriptor(folder, O_RDONLY | O_DIRECTORY).flatMap(FolderNames.list(closing:))
    }

    /// The caller closes it.
    private func descriptor(_ names: [String], _ flags: Int32) -> Int32? {
        var current = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for (index, name) in names.enumerated() where current >= 0 {
            let kind = index == names.count - 1 ? flags : O_RDONLY | O_DIRECTORY
            let next = openat(current, name, kind | O_NOFOLLOW | O_CLOEXEC)
            close(current)
            current = next
        }
        return current >= 0 ? current : nil
    }
}

/// Texts by path, in place of a folder.
struct FixtureTexts: FixtureFiles {
    private let texts: [[String]: String]
    /// In Unix seconds.
    private let modified: Int

    init(_ texts: [String: String], modified: Int) {
        let named = texts.map { ($0.key.split(separator: "/").map(String.init), $0.value) }
        self.texts = Dictionary(named) { $1 }
        self.modified = modified
    }

    func read(_ names: [String]) -> FixtureFile? {
        texts[names].map { FixtureFile(bytes: Array($0.utf8), modified: modified) }
    }

    func names(in folder: [String]) -> [String]? {
        let below = texts.keys.filter { $0.count > folder.count && $0.starts(with: folder) }
        guard !below.isEmpty else { return nil }
        return Set(below.map { $0[folder.count] }).filter { !$0.hasPrefix(".") }.sorted()
    }
}
