import Platform
import RestEngine

/// The files by which Linux tells of memory pressure (accounting/psi.rst).
enum PressureFile {
    /// The control group's file, then the machine's.
    static func candidates() -> [String] {
        let groups =
            (try? WholeFile.read("/proc/self/cgroup", limit: 1 << 20)).map {
                String(decoding: $0, as: UTF8.self)
            } ?? ""
        return groupFile(in: groups).map { [$0, "/proc/pressure/memory"] } ?? ["/proc/pressure/memory"]
    }

    /// The pressure file of the group in the unified hierarchy, whose line begins with `0::` (cgroups(7)).
    static func groupFile(in groups: String) -> String? {
        groups.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { line in
            let path = line.dropFirst(3)
            return "/sys/fs/cgroup" + (path == "/" ? "" : path) + "/memory.pressure"
        }
    }

    /// A descriptor that becomes ready (POLLPRI) when the trigger fires; nil when this kernel has none, or not for us.
    static func open(_ path: String, trigger: String) -> Int32? {
        #if os(Linux)
            let file = Platform.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { return nil }
            let text = Array(trigger.utf8) + [0]
            guard write(file, text, text.count) == text.count else {
                close(file)
                return nil
            }
            return file
        #else
            return nil
        #endif
    }
}
