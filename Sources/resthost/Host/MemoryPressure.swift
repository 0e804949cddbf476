import Platform
import RestEngine

/// Detects when the kernel reports that memory is short (rule 23.5), if it reports it.
///
/// The pressure of the control group is preferred to the machine's, because inside a container its limit is
/// the one that kills. For processes without privileges, the kernel requires a window of a multiple of two
/// seconds (Linux, accounting/psi.rst).
struct MemoryPressure: Sendable {
    /// The trigger: tasks stalled for 150 ms in two seconds.
    private static let threshold = "some 150000 2000000"

    private let file: Int32

    /// Nil when the kernel reports no pressure. `files` are pressure files; the first one that accepts a
    /// trigger is used.
    init?(files: [String] = PressureFile.candidates()) {
        let opened = files.lazy.compactMap { PressureFile.open($0, trigger: Self.threshold) }.first
        guard let opened else { return nil }
        file = opened
    }

    /// Calls `relieve` on the engine loop at each event, from a thread that lives as long as the process.
    func watch(_ relieve: @escaping @Sendable @EngineActor () -> Void) {
        NamedThread.startOrStop(name: "memory pressure") {
            while wait() { EngineLoop.shared.submit(relieve) }
        }
    }

    /// Returns true at the next event; false when the control group is gone and no event can come.
    private func wait() -> Bool {
        var watched = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
        while true {
            guard poll(&watched, 1, -1) >= 0 else {
                if errno == EINTR { continue }
                return false
            }
            if watched.revents & Int16(POLLERR) != 0 { return false }
            if watched.revents & Int16(POLLPRI) != 0 { return true }
        }
    }
}

/// The files in which Linux reports memory pressure (accounting/psi.rst).
enum PressureFile {
    /// The file of the control group, then that of the machine.
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

    /// A descriptor that becomes ready (POLLPRI) when the trigger fires; nil when this kernel has no
    /// triggers, or not for this user.
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
