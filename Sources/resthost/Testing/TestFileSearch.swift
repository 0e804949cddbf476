import Platform
import RestEngine

/// Finds test files: the given ones, and all `*_test.lua` below the given folders.
enum TestFileSearch {
    struct SearchError: Error {
        let description: String
    }

    private static let suffix = "_test.lua"

    /// The files, sorted in each folder and without repeats.
    static func files(in paths: [String]) throws(SearchError) -> [String] {
        var found: [String] = []
        for path in paths.isEmpty ? ["."] : paths {
            switch kind(of: path) {
            case S_IFDIR: found += below(path)
            case S_IFREG: found.append(path)
            case nil: throw SearchError(description: "there is no '\(path)'")
            default: throw SearchError(description: "'\(path)' is neither a file nor a folder")
            }
        }
        var known: Set<String> = []
        return found.filter { known.insert($0).inserted }
    }

    /// Skips folders whose names begin with a dot, and links to folders, because they may form circles.
    private static func below(_ folder: String) -> [String] {
        var folder = folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        let prefix = folder == "." ? "" : folder == "/" ? "/" : folder + "/"
        var files: [String] = []
        for name in FolderNames.list(folder) ?? [] {
            let path = prefix + name
            if kind(of: path, followingLinks: false) == S_IFDIR {
                files += below(path)
            } else if name.hasSuffix(suffix), kind(of: path) == S_IFREG {
                files.append(path)
            }
        }
        return files
    }

    private static func kind(of path: String, followingLinks: Bool = true) -> mode_t? {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }
}
