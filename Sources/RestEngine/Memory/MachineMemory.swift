import Platform

/// How much memory this process may have: what its control group and those above it allow (cgroups(7)), or
/// what the machine has.
package struct MachineMemory: Sendable, Equatable {
    /// What may be used, in bytes.
    package let bytes: Int
    /// The limit is one of a control group, a container's for example.
    package let isGroupLimit: Bool

    package init(bytes: Int, isGroupLimit: Bool) {
        self.bytes = bytes
        self.isGroupLimit = isGroupLimit
    }

    /// As it was when it was first asked for.
    package static let current = MachineMemory(physical: physicalBytes) { path in
        (try? WholeFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Parameter read: gives the text of a file, or nil when there is none.
    init(physical: Int, read: (String) -> String?) {
        let limits = Self.limitFiles(in: read("/proc/self/cgroup") ?? "").compactMap { path in
            // "max" for none; the first version has a number that no machine reaches.
            read(path).flatMap { text in Int(text.prefix { $0.isNumber }) }
        }
        let limit = limits.filter { $0 > 0 }.min() ?? .max
        isGroupLimit = limit < physical
        bytes = min(limit, physical)
    }

    /// The files that limit the groups a process is in, and those above them. Inside a container a group may
    /// be shown under the path that it has outside, and then only the uppermost is there.
    static func limitFiles(in groups: String) -> [String] {
        groups.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].hasPrefix("/") else { return [] }
            if parts[0] == "0", parts[1].isEmpty {
                return files(under: "/sys/fs/cgroup", parts[2], "memory.max")
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return files(under: "/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
        }
    }

    private static func files(under root: String, _ path: Substring, _ name: String) -> [String] {
        var folder = root
        var files = ["\(root)/\(name)"]
        for part in path.split(separator: "/") where part != ".." {
            folder += "/" + part
            files.append("\(folder)/\(name)")
        }
        return files
    }

    private static var physicalBytes: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // Where nobody says, as much as a small machine has.
        return pages > 0 && size > 0 ? pages * size : 1 << 30
    }
}

/// How much memory this process has.
package enum ProcessMemory {
    /// Bytes that are resident, from statm of proc(5); nil where there is none.
    package static var residentBytes: Int? {
        guard let text = try? WholeFile.read("/proc/self/statm", limit: 4096) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
