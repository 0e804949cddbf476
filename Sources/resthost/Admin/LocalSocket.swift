import Platform

/// Asks a Unix socket whether anybody is there.
enum LocalSocket {
    /// True when the file is a socket on which nobody listens.
    static func isAbandoned(_ path: String) -> Bool {
        var status = stat()
        // A file that is no socket refuses too.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        return connectError(path) == ECONNREFUSED
    }

    static func isAnswered(_ path: String) -> Bool { connectError(path) == 0 }

    /// Why no connection can be made; nil when one can.
    static func refusal(_ path: String) -> String? {
        let code = connectError(path)
        return code == 0 ? nil : String(cString: strerror(code))
    }

    /// 0 when the connection was made.
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
        // A full queue of a host that is stuck is an answer too.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                connect(descriptor, addresses.baseAddress, socklen_t(bytes.count))
            }
        }
        return status == 0 || errno == EAGAIN || errno == EINPROGRESS ? 0 : errno
    }
}
