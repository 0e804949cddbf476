import Platform

/// The service manager that started the program, if it is systemd or compatible. It is notified of the host's
/// state (sd_notify(3)), passes sockets that listen already (sd_listen_fds(3)), and checks that the host is
/// alive.
enum ServiceManager {
    /// True when the journal receives standard error and notes the time of each line. `JOURNAL_STREAM`
    /// (systemd.exec(5)) has the device and inode, because standard error may have been redirected later.
    static var notesTimes: Bool { notesTimes(variable("JOURNAL_STREAM"), of: STDERR_FILENO) }

    static func notesTimes(_ stream: String?, of descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    // MARK: Notifications

    /// Sends `READY=1` and the like, if `NOTIFY_SOCKET` is set. Failures are ignored.
    static func notify(_ state: String, at socket: String? = variable("NOTIFY_SOCKET")) {
        guard let socket, socket.hasPrefix("/") || socket.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        // An abstract name begins with a zero (unix(7)).
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        #if os(Linux)
            let descriptor = Platform.socket(
                AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = Platform.socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The length must be exact for an abstract name, whose zeros are part of it.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(state.utf8)
        _ = withUnsafeBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { addresses in
                bytes.withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, 0, addresses.baseAddress, length)
                }
            }
        }
    }

    /// The seconds within which it expects a sign of life; nil when it does not check.
    static var watchdogSeconds: Double? {
        watchdogSeconds(variable("WATCHDOG_USEC"), process: variable("WATCHDOG_PID"))
    }

    static func watchdogSeconds(_ microseconds: String?, process: String?) -> Double? {
        if let process, process != "\(getpid())" { return nil }
        return microseconds.flatMap { Double($0) }.flatMap { $0 > 0 ? $0 / 1e6 : nil }
    }

    // MARK: Sockets

    /// The sockets that it passed, by their addresses in the form of ``ListenAddress``. They belong to this
    /// process from now on and are not inherited.
    static func takeSockets() -> [String: Int32] {
        let sockets = sockets(variable("LISTEN_FDS"), process: variable("LISTEN_PID"))
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] { unsetenv(name) }
        return sockets
    }

    static func sockets(_ count: String?, process: String?, from first: Int32 = 3) -> [String: Int32] {
        guard process == "\(getpid())", let count = count.flatMap({ Int32($0) }), 1...1024 ~= count else {
            return [:]
        }
        var sockets: [String: Int32] = [:]
        for descriptor in first..<first + count {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if let address = address(of: descriptor) { sockets[address] = descriptor }
        }
        return sockets
    }

    /// Nil for a descriptor that is not such a socket.
    static func address(of descriptor: Int32) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { raw -> String? in
            let isKnown = raw.withMemoryRebound(to: sockaddr.self) {
                getsockname(descriptor, $0.baseAddress, &length) == 0
            }
            guard isKnown else { return nil }
            let (family, bytes) = (Int32(raw.loadUnaligned(as: sa_family_t.self)), raw[..<Int(length)])
            switch family {
            case AF_UNIX:
                let path = bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
                return path.isEmpty ? nil : "unix:" + String(decoding: path, as: UTF8.self)
            case AF_INET, AF_INET6:
                let isV6 = family == AF_INET6
                guard bytes.count >= (isV6 ? 24 : 8) else { return nil }
                let port = Int(raw[2]) << 8 | Int(raw[3])
                var text = [CChar](repeating: 0, count: 64)
                let offset = isV6 ? 8 : 4
                guard inet_ntop(family, raw.baseAddress?.advanced(by: offset), &text, 64) != nil else {
                    return nil
                }
                let host = String(
                    decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return isV6 ? "[\(host)]:\(port)" : "\(host):\(port)"
            default: return nil
            }
        }
    }
}
