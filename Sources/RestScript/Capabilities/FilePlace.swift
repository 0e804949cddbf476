#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a path really leads.
enum FilePlace {
    /// Without links; of what doesn't exist yet, as far as it exists, and the names that are left. Nil when those lead back.
    static func resolve(_ path: String) -> String? {
        guard !path.utf8.contains(0), !path.isEmpty else { return nil }
        if let real = real(path) { return real }
        var folders = path.split(separator: "/", omittingEmptySubsequences: true)
        var missing: [Substring] = []
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

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
