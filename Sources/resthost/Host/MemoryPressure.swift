import Platform
import RestEngine

/// Tells when the kernel says that memory is short (rule 23.5), where it says so.
///
/// The control group's own pressure counts before the machine's: inside a container it is the one that kills.
/// The kernel asks for a window of a multiple of two seconds from whoever is not privileged (Linux,
/// accounting/psi.rst).
struct MemoryPressure: Sendable {
    /// Tasks stalled for 150 ms in two seconds.
    private static let threshold = "some 150000 2000000"

    private let file: Int32

    /// Nil where nothing can be told. `files` are pressure files, of which the first that takes a trigger is
    /// used.
    init?(files: [String] = PressureFile.candidates()) {
        let opened = files.lazy.compactMap { PressureFile.open($0, trigger: Self.threshold) }.first
        guard let opened else { return nil }
        file = opened
    }

    /// Calls `relieve` on the engine loop each time, from a thread that lives as long as the process.
    func watch(_ relieve: @escaping @Sendable @EngineActor () -> Void) {
        NamedThread.startOrStop(name: "memory pressure") {
            while wait() { EngineLoop.shared.submit(relieve) }
        }
    }

    /// Returns true at the next event; false when there can't be another: the control group is gone.
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

    /// A descriptor that becomes ready (POLLPRI) when the trigger fires; nil when this kernel has none, or
    /// not for us.
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
