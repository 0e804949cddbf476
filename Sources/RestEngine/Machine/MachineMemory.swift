internal import CPlatform
import Platform

/// How much memory this process may use: limited by its control group and the ancestors of that (cgroups(7)),
/// by its own limit (getrlimit(2)), or by the machine.
package struct MachineMemory: Sendable, Equatable {
    /// The usable memory, in bytes.
    package let bytes: Int
    package let source: Source

    /// The kind of the limit.
    package enum Source: String, Sendable {
        case machine
        /// A limit of a container, for example.
        case controlGroup = "control group"
        case processLimit = "process limit"
    }

    package init(bytes: Int, source: Source) {
        self.bytes = bytes
        self.source = source
    }

    /// Read once, at the first use.
    package static let current = MachineMemory(
        physical: physicalBytes, groups: .ofThisProcess, processLimit: cplatform_memory_limit())

    /// - Parameter processLimit: Of address space, negative for none. Half of it is used: stacks of threads,
    ///   libraries and the allocator's reserves take addresses too.
    init(physical: Int, groups: ControlGroups, processLimit: Int = -1) {
        let limits = groups.folders(of: "memory").compactMap { folder in
            let name = folder.version == .second ? "memory.max" : "memory.limit_in_bytes"
            // "max" for none; version 1 has a number that no machine reaches.
            return groups.read("\(folder.path)/\(name)").flatMap { text in Int(text.prefix { $0.isNumber }) }
        }
        let limit = limits.filter { $0 > 0 }.min() ?? .max
        let own = processLimit < 0 ? Int.max : processLimit / 2
        bytes = min(limit, physical, own)
        source = bytes == own ? .processLimit : limit < physical ? .controlGroup : .machine
    }

    private static var physicalBytes: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // If the size is unknown, that of a small machine is assumed.
        return pages > 0 && size > 0 ? pages * size : 1 << 30
    }
}

/// The memory that this process uses.
package enum ProcessMemory {
    /// Bytes that are resident, from statm of proc(5); nil where there is none.
    package static var residentBytes: Int? {
        guard let text = try? WholeFile.read("/proc/self/statm", limit: 4096) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
