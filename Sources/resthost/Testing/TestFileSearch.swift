import Platform
import RestEngine

/// Finds test files: those that are named, and all `*_test.lua` below the folders that are named.
enum TestFileSearch {
    struct SearchError: Error {
        let description: String
    }

    private static let suffix = "_test.lua"

    /// Sorted in each folder; each file once.
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

    /// Folders whose names begin with a dot are left out, and so are links to folders, which may lead in
    /// circles.
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
