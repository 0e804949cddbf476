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
    package static let current = MachineMemory(physical: physicalBytes, groups: .ofThisProcess)

    init(physical: Int, groups: ControlGroups) {
        let limits = groups.folders(of: "memory").compactMap { folder in
            let name = folder.version == .second ? "memory.max" : "memory.limit_in_bytes"
            // "max" for none; the first version has a number that no machine reaches.
            return groups.read("\(folder.path)/\(name)").flatMap { text in Int(text.prefix { $0.isNumber }) }
        }
        let limit = limits.filter { $0 > 0 }.min() ?? .max
        isGroupLimit = limit < physical
        bytes = min(limit, physical)
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
