import Platform
import TestSupport
import Testing

@testable import resthost

struct AdminFolderTests {
    @Test func `the folder is the user's own`() {
        #expect(
            AdminFolder.standard(runtimeFolder: "/run/user/7", user: 7).path == "/run/user/7/resthost")
        for none in [nil, "", "relative"] {
            #expect(AdminFolder.standard(runtimeFolder: none, user: 7).path == "/tmp/resthost-7")
        }
        #expect(AdminFolder(path: "/a").socket(of: 42) == "/a/42.sock")
    }

    @Test func `it is made for its user alone, and only then trusted`() {
        let folder = TemporaryFolder()
        let admin = AdminFolder(path: folder.path + "/admin")
        #expect(!admin.exists)
        #expect(admin.make() == nil)
        #expect(admin.make() == nil)
        var status = stat()
        #expect(stat(admin.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        chmod(admin.path, 0o755)
        #expect(admin.make() == "the folder \(admin.path) is open to others: chmod 700 \(admin.path)")
        rmdir(admin.path)
        folder.write("file", "")
        #expect(AdminFolder(path: folder.path + "/file").make() == "\(folder.path)/file is no folder")
        // A link could lead to any file.
        folder.link("link", to: "/tmp")
        #expect(AdminFolder(path: folder.path + "/link").make() == "\(folder.path)/link is no folder")
        #expect(AdminFolder(path: "/nowhere/at/all").make()?.hasPrefix("cannot make the folder") == true)
        if geteuid() == 0 {
            folder.write("other/x", "")
            chown(folder.path + "/other", 12345, 12345)
            chmod(folder.path + "/other", 0o700)
            #expect(
                AdminFolder(path: folder.path + "/other").make()
                    == "the folder \(folder.path)/other belongs to another user")
        }
    }

    @Test func `sockets are named by a process number`() {
        #expect(AdminFolder.process(named: "42.sock") == 42)
        for name in [
            "", ".sock", "042.sock", "42", "42.sock~", "-1.sock", "99999999999.sock", "a.sock", "4 2.sock",
        ] {
            #expect(AdminFolder.process(named: name) == nil, "\(name)")
        }
        var random = SeededRandom(seed: 3)
        let alphabet = Array("0123456789.sock- ")
        for _ in 0..<2000 {
            let name = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                })
            if let process = AdminFolder.process(named: name) { #expect("\(process).sock" == name) }
        }
    }

    @Test func `sockets of processes that are gone are removed, others stay`() async {
        let folder = TemporaryFolder()
        chmod(folder.path, 0o700)
        let admin = AdminFolder(path: folder.path)
        // No process has this ID, because IDs are smaller.
        let gone = pid_t.max
        leaveSocket(at: admin.socket(of: gone))
        leaveSocket(at: admin.socket(of: getpid()))
        folder.write("\(gone - 1).sock", "no socket")
        let peer = LoopbackPeer(unixSocket: admin.socket(of: gone - 2)) { _, _ in }
        #expect(admin.processes() == [getpid(), gone - 2, gone - 1, gone].sorted())
        admin.removeAbandoned()
        #expect(admin.processes() == [getpid(), gone - 2, gone - 1].sorted())
        #expect(LocalSocket.isAnswered(admin.socket(of: gone - 2)))
        #expect(!LocalSocket.isAnswered(admin.socket(of: getpid())))
        withExtendedLifetime(peer) {}
        folder.remove("\(getpid()).sock")
        folder.remove("\(gone - 2).sock")
    }

    /// Leaves a socket file as a killed program does.
    private func leaveSocket(at path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        _ = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        close(descriptor)
    }
}
