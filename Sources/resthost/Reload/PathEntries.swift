/// A name in a folder.
struct DirectoryEntry: Hashable, Sendable {
    /// The folder's path, absolute and without links.
    var folder: String
    var name: String
}

/// The directory entries that lead to a file. A change of the file can be noticed at them.
///
/// A file may be reached through links to files and folders, and parts of its path may not exist yet.
enum PathEntries {
    enum Kind: Equatable {
        case missing
        case folder
        case link(to: String)
        case other
    }

    /// The system's own limit for links in one path (path_resolution(7)).
    private static let maxLinks = 40

    /// The entries that lead to the file at an absolute path; empty when links form a circle.
    static func entries(of path: String, _ kind: (String) -> Kind) -> Set<DirectoryEntry> {
        var entries: Set<DirectoryEntry> = []
        var folder = "/"
        var links = 0
        var rest = components(path)
        while let name = rest.popLast() {
            if name == ".." {
                folder = parent(of: folder)
                continue
            }
            let here = folder == "/" ? "/" + name : folder + "/" + name
            switch kind(here) {
            case .link(let target):
                entries.insert(DirectoryEntry(folder: folder, name: name))
                links += 1
                guard links <= maxLinks else { return entries }
                if target.hasPrefix("/") { folder = "/" }
                rest += components(target)
            case .folder where !rest.isEmpty: folder = here
            case .missing, .other, .folder:
                entries.insert(DirectoryEntry(folder: folder, name: name))
                return entries
            }
        }
        return entries
    }

    /// The components, last first.
    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
    }

    private static func parent(of folder: String) -> String {
        guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return "/" }
        return String(folder[..<slash])
    }
}
