import Platform

/// The control groups of a process (cgroups(7)), each with its ancestors.
struct ControlGroups {
    /// Returns the text of a file, nil when it doesn't exist.
    let read: (String) -> String?

    /// The current groups of this process.
    static var ofThisProcess: ControlGroups {
        ControlGroups { path in
            (try? WholeFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The folders of all groups that `controller` controls, from the root down. Inside a container a group
    /// may be shown under its outside path; then only the root exists.
    func folders(of controller: String) -> [Folder] {
        (read("/proc/self/cgroup") ?? "").split(separator: "\n").flatMap { line -> [Folder] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].hasPrefix("/") else { return [] }
            if parts[0] == "0", parts[1].isEmpty { return Self.folders("/sys/fs/cgroup", parts[2], .second) }
            guard parts[1].split(separator: ",").contains(Substring(controller)) else { return [] }
            return Self.folders("/sys/fs/cgroup/\(controller)", parts[2], .first)
        }
    }

    struct Folder: Equatable {
        enum Version { case first, second }

        var path: String
        var version: Version
    }

    private static func folders(_ root: String, _ path: Substring, _ version: Folder.Version) -> [Folder] {
        var folders = [Folder(path: root, version: version)]
        var folder = root
        for part in path.split(separator: "/") where part != ".." {
            folder += "/"
            folder += String(part)
            folders.append(Folder(path: folder, version: version))
        }
        return folders
    }
}
