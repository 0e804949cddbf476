import Testing

@testable import RestEngine

struct MachineProcessorsTests {
    private func processors(usable: Int = 8, _ files: [String: String] = [:]) -> MachineProcessors {
        MachineProcessors(online: 8, usable: usable, groups: ControlGroups { files[$0] })
    }

    @Test func `without a limit they are the machine's`() {
        #expect(processors() == MachineProcessors(count: 8, limit: .machine))
        #expect(processors(usable: 0) == MachineProcessors(count: 8, limit: .machine))
        #expect(
            processors(["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/cpu.max": "max 100000\n"])
                == MachineProcessors(count: 8, limit: .machine))
        #expect(MachineProcessors(online: -1, usable: 0, groups: ControlGroups { _ in nil }).count == 1)
    }

    @Test func `a mask leaves fewer`() {
        #expect(processors(usable: 3) == MachineProcessors(count: 3, limit: .affinity))
    }

    @Test(arguments: [
        ("200000 100000\n", 2), ("150000 100000\n", 2), ("20000 100000\n", 1), ("700001 100000\n", 8),
        ("99900000 100000\n", 8), ("", 8), ("0 100000", 8), ("200000", 8), ("200000 0", 8), ("a b", 8),
        ("-1 100000", 8),
    ])
    func `a control group gives time of so many, rounded up`(text: String, count: Int) {
        let found = processors(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": text])
        #expect(found.count == count)
        #expect(found.limit == (count < 8 ? .controlGroup : .machine))
    }

    @Test func `the strictest of groups and mask counts`() {
        let files = [
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/cpu.max": "300000 100000\n",
            "/sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
        ]
        #expect(processors(files) == MachineProcessors(count: 3, limit: .controlGroup))
        #expect(processors(usable: 2, files) == MachineProcessors(count: 2, limit: .affinity))
    }

    @Test func `the first version has a file for each number`() {
        let files = [
            "/proc/self/cgroup": "4:cpu,cpuacct:/docker/x\n0::/\n",
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us": "250000\n",
            "/sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us": "100000\n",
        ]
        #expect(processors(files) == MachineProcessors(count: 3, limit: .controlGroup))
    }

    @Test func `this machine has one at least`() { #expect(MachineProcessors.current.count >= 1) }
}
