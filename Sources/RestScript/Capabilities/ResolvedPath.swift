import Platform

/// Where a path really leads.
enum ResolvedPath {
    /// Without links; of what doesn't exist yet, as far as it exists, and the names that are left. Nil when
    /// those lead back, and for a link to what doesn't exist.
    static func resolve(_ path: String) -> String? {
        // The system takes no longer one, and each folder on the way is looked at.
        guard !path.utf8.contains(0), !path.isEmpty, path.utf8.count < Int(PATH_MAX) else { return nil }
        if let real = real(path) { return real }
        var folders = path.split(separator: "/", omittingEmptySubsequences: true)
        var missing: [Substring] = []
        // Whoever made the file would make it where the link leads.
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

    /// Whether a resolved path is `root`, or below it.
    static func isBelow(_ resolved: String, _ root: String) -> Bool {
        guard let root = resolve(root) else { return false }
        return resolved == root || resolved.hasPrefix(root == "/" ? "/" : root + "/")
    }

    /// Whether a resolved path lies below `root` and no name on the way from there begins with a dot.
    static func isInSight(_ resolved: String, below root: String) -> Bool {
        guard let root = resolve(root), isBelow(resolved, root), resolved != root else { return false }
        return !resolved.dropFirst(root.count).split(separator: "/").contains { $0.hasPrefix(".") }
    }

    /// Whether somebody may run, or a script load, what has this resolved path.
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
