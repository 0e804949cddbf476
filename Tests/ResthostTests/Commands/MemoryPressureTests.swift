import Platform
import TestSupport
import Testing

@testable import resthost

struct MemoryPressureTests {
    @Test func `23.5 at SIGUSR1 resources that nobody uses are dropped, others stay`() async {
        let folder = ScriptFolder.service(
            at: "http://127.0.0.1:1",
            """
            for i = 1, 9 do api:resource("/r" .. i):override_local_content("x") end
            held = api:resource("/r1")
            print("ready")
            rest.every(3600, function() end)
            """)
        defer { withExtendedLifetime(folder) {} }
        let child = folder.start("run", "main.lua")
        #expect(await child.hasWritten("ready"))
        child.signal(SIGUSR1)
        #expect(await child.hasReported("memory is short: dropped 8 resources that nobody uses"))
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
    }

    @Test func `the control group's file is found in the unified hierarchy`() {
        #expect(
            PressureFile.groupFile(in: "4:memory:/x\n0::/user.slice/a\n")
                == "/sys/fs/cgroup/user.slice/a/memory.pressure")
        #expect(PressureFile.groupFile(in: "0::/\n") == "/sys/fs/cgroup/memory.pressure")
        #expect(PressureFile.groupFile(in: "4:memory:/x\n") == nil)
        #expect(PressureFile.groupFile(in: "") == nil)
    }

    @Test func `a file that takes no trigger is no source`() {
        #expect(PressureFile.open("/nowhere/memory.pressure", trigger: "some 150000 2000000") == nil)
        #expect(PressureFile.open("/dev/full", trigger: "some 150000 2000000") == nil)
    }

    #if os(Linux)
        @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0))
        func `the kernel takes the trigger`() {
            let file = PressureFile.open("/proc/pressure/memory", trigger: "some 150000 2000000")
            #expect(file != nil)
            if let file { close(file) }
        }
    #endif
}
