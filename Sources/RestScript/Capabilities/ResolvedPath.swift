import Platform

/// Finds where a path leads.
enum ResolvedPath {
    /// The path without links. When its end does not exist yet, the existing part is resolved and the other
    /// names are appended. Nil when one of these names is `.` or `..`, and for a link to a missing file.
    static func resolve(_ path: String) -> String? {
        // The system does not accept longer paths, and the search visits each folder of the path.
        guard !path.utf8.contains(0), !path.isEmpty, path.utf8.count < Int(PATH_MAX) else { return nil }
        if let real = real(path) { return real }
        var folders = path.split(separator: "/", omittingEmptySubsequences: true)
        var missing: [Substring] = []
        // A link to a missing file is refused: a new file would be made where the link leads.
        var status = stat()
        if lstat(path, &status) == 0 { return nil }
        while let name = folders.popLast() {
            guard name != "." && name != ".." else { return nil }
            missing.insert(name, at: 0)
            let parent = (path.hasPrefix("/") ? "/" : "") + folders.joined(separator: "/")
            if let folder = real(parent.isEmpty ? "." : parent) {
                return (folder == "/" ? "" : folder) + "/" + missing.joined(separator: "/")
            }
        }
        return nil
    }

    /// True when a resolved path is `root`, or lies below it.
    static func isBelow(_ resolved: String, _ root: String) -> Bool {
        guard let root = resolve(root) else { return false }
        return resolved == root || resolved.hasPrefix(root == "/" ? "/" : root + "/")
    }

    /// True when a resolved path lies below `root` and no name behind `root` begins with a dot.
    static func isInSight(_ resolved: String, below root: String) -> Bool {
        guard let root = resolve(root), isBelow(resolved, root), resolved != root else { return false }
        return !resolved.dropFirst(root.count).split(separator: "/").contains { $0.hasPrefix(".") }
    }

    /// True when the file at this resolved path can be executed, or loaded by a script.
    static func isProgram(_ resolved: String) -> Bool {
        if resolved.lowercased().hasSuffix(".lua") { return true }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & 0o111 != 0
    }

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
