internal import CPlatform
import Platform

/// How many processors of the machine this process may use, after its affinity mask and its control groups.
package struct MachineProcessors: Sendable, Equatable {
    package enum Limit: String, Sendable {
        case machine
        /// sched_setaffinity(2), `taskset`.
        case affinity = "affinity mask"
        /// A limit on processor time, for a container for example (cgroups(7), `cpu.max`).
        case controlGroup = "control group"
    }

    /// At least 1. A fraction of a processor's time counts as a whole one.
    package let count: Int
    /// The limit in effect.
    package let limit: Limit

    package init(count: Int, limit: Limit) {
        self.count = count
        self.limit = limit
    }

    /// Read once, at the first use.
    package static let current = MachineProcessors(
        online: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), usable: Int(cplatform_usable_processors()),
        groups: .ofThisProcess)

    /// - Parameter usable: The number in the mask; 0 when it isn't known.
    init(online: Int, usable: Int, groups: ControlGroups) {
        var (count, limit) = (max(1, online), Limit.machine)
        if usable > 0, usable < count { (count, limit) = (usable, .affinity) }
        if let quota = Self.quota(groups), quota < count { (count, limit) = (quota, .controlGroup) }
        self.init(count: count, limit: limit)
    }

    /// The number of processors whose time the strictest group allows.
    private static func quota(_ groups: ControlGroups) -> Int? {
        groups.folders(of: "cpu").compactMap { folder -> Int? in
            let numbers =
                switch folder.version {
                // "max 100000" for none.
                case .second: groups.read(folder.path + "/cpu.max").map(Self.numbers)
                // -1 for none.
                case .first:
                    ["cfs_quota_us", "cfs_period_us"].flatMap { name in
                        Self.numbers(groups.read("\(folder.path)/cpu.\(name)") ?? "")
                    }
                }
            guard let numbers, numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return nil }
            return (numbers[0] - 1) / numbers[1] + 1
        }.min()
    }

    private static func numbers(_ text: String) -> [Int] {
        text.split { $0.isWhitespace }.compactMap { Int($0) }
    }
}
