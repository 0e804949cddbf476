import Platform
import RestEngine
import TestSupport
import Testing

@testable import resthost

/// The service manager (rules 67).
struct ServiceManagerTests {
    /// A datagram socket at a path.
    private func mailbox(_ path: String) -> Int32 {
        let box = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { bind(box, $0.baseAddress, socklen_t(raw.count)) }
        }
        #expect(status == 0)
        limitWaits(of: box)
        return box
    }

    private func next(_ box: Int32, _ flags: Int32 = 0) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(box, &bytes, bytes.count, flags)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `67.4 only the service manager is notified`() {
        let folder = TemporaryFolder()
        let box = mailbox(folder.path + "/notify")
        defer { close(box) }
        ServiceManager.notify("READY=1", at: folder.path + "/notify")
        #expect(next(box) == "READY=1")
        ServiceManager.notify("READY=1", at: folder.path + "/nobody")
        ServiceManager.notify("READY=1", at: "notify")
        ServiceManager.notify("READY=1", at: nil)
        ServiceManager.notify("STOPPING=1", at: folder.path + "/notify")
        #expect(next(box) == "STOPPING=1")
    }

    @Test func `67.4 it looks after this process and no other`() {
        #expect(ServiceManager.watchdogSeconds("30000000", process: nil) == 30)
        #expect(ServiceManager.watchdogSeconds("30000000", process: "\(getpid())") == 30)
        #expect(ServiceManager.watchdogSeconds("30000000", process: "1") == nil)
        for text in [nil, "0", "-1", "x"] {
            #expect(ServiceManager.watchdogSeconds(text, process: nil) == nil)
        }
    }

    @Test func `67.5 sockets are known by their addresses`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        #expect(listen(listener, 1) == 0)
        let sockets = ServiceManager.sockets("1", process: "\(getpid())", from: listener)
        #expect(sockets.values.first == listener)
        #expect(sockets.keys.first?.hasPrefix("0.0.0.0:") == true)
        #expect(fcntl(listener, F_GETFD) & FD_CLOEXEC != 0)
        #expect(ServiceManager.sockets("1", process: "1", from: listener).isEmpty)
        for count in [nil, "0", "-1", "9999999", "x"] {
            #expect(ServiceManager.sockets(count, process: "\(getpid())", from: listener).isEmpty)
        }
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(ServiceManager.sockets("1", process: "\(getpid())", from: file).isEmpty)
    }

    @Test func `67.4 a run says when it is ready, when it was loaded anew and when it ends`() async throws {
        let folder = ScriptFolder("rest.gateway { listen = \"127.0.0.1:0\" }")
        let box = mailbox(folder.path + "/notify")
        defer { close(box) }
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--admin", "off"], in: folder.path,
            environment: [
                "NOTIFY_SOCKET": folder.path + "/notify", "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "",
            ])
        func isNotified(_ text: String) async {
            await yielding(until: "'\(text)' is told") { next(box, Int32(MSG_DONTWAIT)).contains(text) }
        }
        #expect(next(box) == "READY=1\nSTATUS=generation 1 of main.lua")
        child.signal(SIGHUP)
        await isNotified("STATUS=generation 2 of main.lua")
        child.signal(SIGTERM)
        await isNotified("STOPPING=1")
        #expect(await child.end().code == 0)
    }
}

struct ServiceUnitTests {
    private let unit = ServiceUnit(
        name: "shop", program: "/usr/bin/resthost", script: "/srv/the shop/50%/main.lua",
        listen: ["127.0.0.1:8080", "unix:/run/shop.sock"])

    @Test func `67.6 the package's service has the same rights`() throws {
        let path = "scripts/package/resthost@.service"
        let text = String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self)
        #expect(text.contains(ServiceUnit.rights))
        #expect(unit.service.contains(ServiceUnit.rights))
    }

    @Test func `67.6 the service reports, is watched, and starts with its sockets`() {
        let lines = unit.service.split(separator: "\n").map(String.init)
        for line in [
            "Type=notify", "WatchdogSec=30", "ExecReload=/bin/kill -HUP $MAINPID", "Requires=shop.socket",
            "ExecStart=/usr/bin/resthost run \"/srv/the shop/50%%/main.lua\" --admin %t/shop/admin.sock",
            "WorkingDirectory=/srv/the shop/50%%", "DynamicUser=yes", "WantedBy=multi-user.target",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(unit.socket?.contains("ListenStream=127.0.0.1:8080\nListenStream=/run/shop.sock\n") == true)
    }

    @Test func `67.6 a user's service has no rights of the system's`() {
        var own = unit
        own.isUsers = true
        own.listen = []
        #expect(own.socket == nil)
        #expect(!own.service.contains("DynamicUser") && !own.service.contains("--admin"))
        #expect(own.service.contains("WantedBy=default.target"))
    }

    @Test func `67.6 it is printed, or refused with what is wrong`() async {
        let folder = ScriptFolder("")
        let printed = await folder.run("install-service", "main.lua", "--print", "--name", "shop")
        #expect(printed.code == 0)
        #expect(printed.output.hasPrefix("# shop.service\n[Unit]\nDescription=resthost, shop\n"))
        #expect(printed.output.contains(" run \(folder.path)/main.lua "))
        let options = await folder.run(
            "install-service", "main.lua", "--print", "--name", "shop", "--", "--drain-delay", "20",
            "--admin", "off", "--log-format", "json")
        #expect(
            options.output.contains(
                " run \(folder.path)/main.lua --drain-delay 20 --admin off --log-format json\n"),
            "\(options.output)\(options.errors)")
        #expect(options.output.contains("TimeoutStopSec=35\n") && options.output.contains("#LoadCredential="))
        let wrong = await folder.run("install-service", "main.lua", "--print", "--", "--drane", "1")
        #expect(wrong.code == 2 && wrong.errors.contains("--drane"), "\(wrong.errors)")
        #expect(await folder.run("install-service", "none.lua").code == 2)
        #expect(await folder.run("install-service", "main.lua", "--name", "a/b").code == 2)
        #expect(await folder.run("install-service", "main.lua", "--listen", "here").code == 2)
    }
}
