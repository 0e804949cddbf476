import Testing

@testable import RestEngine

struct MachineMemoryTests {
    private func memory(_ files: [String: String]) -> MachineMemory {
        MachineMemory(physical: 8 << 30, groups: ControlGroups { files[$0] })
    }

    @Test func `without a control group it is the machine's`() {
        #expect(memory([:]) == MachineMemory(bytes: 8 << 30, source: .machine))
        #expect(
            memory(["/proc/self/cgroup": "0::/user.slice\n", "/sys/fs/cgroup/user.slice/memory.max": "max\n"])
                == MachineMemory(bytes: 8 << 30, source: .machine))
    }

    @Test(arguments: [
        // A group, one above it, and a container that sees its own group as the root.
        ("0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "536870912\n"]),
        (
            "0::/a/b\n",
            ["/sys/fs/cgroup/a/memory.max": "536870912\n", "/sys/fs/cgroup/a/b/memory.max": "max\n"]
        ),
        ("0::/\n", ["/sys/fs/cgroup/memory.max": "536870912\n"]),
        ("0::/../outside\n", ["/sys/fs/cgroup/memory.max": "536870912\n"]),
        // Version 1, alone and beside an empty version 2.
        (
            "5:cpu,memory:/docker/abc\n0::/\n",
            [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
                "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "9223372036854771712\n",
            ]
        ),
    ])
    func `a control group's limit counts where it is less`(groups: String, files: [String: String]) {
        let memory = memory(files.merging(["/proc/self/cgroup": groups]) { $1 })
        #expect(memory == MachineMemory(bytes: 512 << 20, source: .controlGroup))
    }

    @Test func `a limit that no machine reaches is none`() {
        let files = [
            "/proc/self/cgroup": "4:memory:/\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(memory(files) == MachineMemory(bytes: 8 << 30, source: .machine))
        #expect(memory(["/proc/self/cgroup": "odd\n0::relative\n:::\n"]).bytes == 8 << 30)
    }

    @Test func `half of the process's own limit counts where it is less`() {
        let groups = ControlGroups { _ in nil }
        func memory(limit: Int) -> MachineMemory {
            MachineMemory(physical: 8 << 30, groups: groups, processLimit: limit)
        }
        #expect(memory(limit: 1 << 30) == MachineMemory(bytes: 512 << 20, source: .processLimit))
        #expect(memory(limit: 64 << 30) == MachineMemory(bytes: 8 << 30, source: .machine))
        #expect(memory(limit: -1) == MachineMemory(bytes: 8 << 30, source: .machine))
    }

    @Test func `this machine has some`() { #expect(MachineMemory.current.bytes > 64 << 20) }
}
