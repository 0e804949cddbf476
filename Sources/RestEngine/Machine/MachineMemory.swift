internal import CPlatform
import Platform

/// How much memory this process may have: what its control group and those above it allow (cgroups(7)), what
/// its own limit leaves (getrlimit(2)), or what the machine has.
package struct MachineMemory: Sendable, Equatable {
    /// What may be used, in bytes.
    package let bytes: Int
    package let source: Source

    /// Sets the limit.
    package enum Source: String, Sendable {
        case machine
        /// A container's, for example.
        case controlGroup = "control group"
        case processLimit = "process limit"
    }

    package init(bytes: Int, source: Source) {
        self.bytes = bytes
        self.source = source
    }

    /// As it was when it was first asked for.
    package static let current = MachineMemory(
        physical: physicalBytes, groups: .ofThisProcess, processLimit: cplatform_memory_limit())

    /// - Parameter processLimit: Of address space, negative for none. Half of it counts: stacks of threads,
    ///   libraries and what the allocator reserves take addresses too.
    init(physical: Int, groups: ControlGroups, processLimit: Int = -1) {
        let limits = groups.folders(of: "memory").compactMap { folder in
            let name = folder.version == .second ? "memory.max" : "memory.limit_in_bytes"
            // "max" for none; the first version has a number that no machine reaches.
            return groups.read("\(folder.path)/\(name)").flatMap { text in Int(text.prefix { $0.isNumber }) }
        }
        let limit = limits.filter { $0 > 0 }.min() ?? .max
        let own = processLimit < 0 ? Int.max : processLimit / 2
        bytes = min(limit, physical, own)
        source = bytes == own ? .processLimit : limit < physical ? .controlGroup : .machine
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
