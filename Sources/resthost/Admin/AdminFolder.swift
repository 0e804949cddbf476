import Platform
import RestEngine

/// The folder with the admin sockets of running hosts. Each socket is named by its process number.
struct AdminFolder: Sendable, Equatable {
    let path: String

    /// The folder of this user: `$XDG_RUNTIME_DIR/resthost`, else `/tmp/resthost-UID`.
    static func standard(
        runtimeFolder: String? = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) },
        user: uid_t = geteuid()
    ) -> AdminFolder {
        if let runtimeFolder, runtimeFolder.hasPrefix("/") {
            return AdminFolder(path: runtimeFolder + "/resthost")
        }
        return AdminFolder(path: "/tmp/resthost-\(user)")
    }

    func socket(of process: pid_t) -> String { "\(path)/\(process).sock" }

    /// Makes the folder unless it exists. Returns what is wrong with it, because any user may make folders in
    /// `/tmp`.
    func make() -> String? {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            return "cannot make the folder \(path): \(String(cString: strerror(errno)))"
        }
        return problem()
    }

    /// The reason why the folder can't be trusted; nil when it can.
    func problem() -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return "cannot use the folder \(path): \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(path) is no folder" }
        guard status.st_uid == geteuid() else { return "the folder \(path) belongs to another user" }
        guard status.st_mode & 0o077 == 0 else {
            return "the folder \(path) is open to others: chmod 700 \(path)"
        }
        return nil
    }

    /// The processes that have a socket here, alive or not, in order.
    func processes() -> [pid_t] {
        (FolderNames.list(path) ?? []).compactMap(Self.process(named:)).sorted()
    }

    /// The process of a socket with this file name.
    static func process(named name: String) -> pid_t? {
        guard name.hasSuffix(".sock") else { return nil }
        let digits = name.dropLast(5)
        guard !digits.isEmpty, digits.first != "0", digits.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return nil
        }
        return pid_t(digits)
    }

    /// Removes the sockets of processes that have ended. A process in another process namespace also looks
    /// ended, but its socket answers.
    func removeAbandoned() {
        guard problem() == nil else { return }
        for process in processes() where kill(process, 0) != 0 && errno == ESRCH {
            let socket = socket(of: process)
            if LocalSocket.isAbandoned(socket) { unlink(socket) }
        }
    }
}

/// Checks whether a process listens at a Unix socket.
enum LocalSocket {
    /// True when the file is a socket at which no process listens.
    static func isAbandoned(_ path: String) -> Bool {
        var status = stat()
        // A file that is not a socket refuses connections, too.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        return connectError(path) == ECONNREFUSED
    }

    static func isAnswered(_ path: String) -> Bool { connectError(path) == 0 }

    /// The reason why no connection can be made; nil when one can.
    static func refusal(_ path: String) -> String? {
        let code = connectError(path)
        return code == 0 ? nil : String(cString: strerror(code))
    }

    /// The error number of a connection attempt; 0 when it succeeded.
    private static func connectError(_ path: String) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < size else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // A full queue means that a host is there, even if it is stuck.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                connect(descriptor, addresses.baseAddress, socklen_t(bytes.count))
            }
        }
        return status == 0 || errno == EAGAIN || errno == EINPROGRESS ? 0 : errno
    }
}
