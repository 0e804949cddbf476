import Platform

/// The listening sockets of a host. The supervisor binds each once, and every worker accepts its connections,
/// so clients of a worker that ends wait in the queue of the others.
struct SharedSockets {
    struct Fault: Error {
        var code: Int32
    }

    /// Connections that wait to be accepted, at each address.
    private static let backlog: Int32 = 1024

    private var sockets: [String: Int32] = [:]
    /// The files of Unix sockets that this process made.
    private var files: [String: String] = [:]

    /// - Parameter given: Sockets of a service manager, by their addresses.
    init(given: [String: Int32] = [:]) { sockets = given }

    /// The socket for a name, which is bound at the first call.
    ///
    /// - Parameters:
    ///   - name: Distinguishes addresses whose port the system chooses.
    ///   - mode: The mode of a Unix socket's file; nil leaves it to the process's umask.
    mutating func socket(_ name: String, at address: ListenAddress, mode: Int?) throws(Fault) -> Int32 {
        if let known = sockets[name] ?? sockets["\(address)"] { return known }
        let socket: Int32
        switch address {
        case .ip(let host, let port): socket = try Self.bind(host, port)
        case .unix(let path):
            if LocalSocket.isAbandoned(path) { unlink(path) }
            socket = try Self.bind(path: path, mode: mode)
            files[name] = path
        }
        guard listen(socket, Self.backlog) == 0 else {
            let code = errno
            close(socket)
            throw Fault(code: code)
        }
        sockets[name] = socket
        return socket
    }

    /// Closes the sockets that no worker uses.
    mutating func keep(only names: Set<String>) {
        for (name, socket) in sockets where !names.contains(name) {
            close(socket)
            sockets[name] = nil
            if let path = files.removeValue(forKey: name) { unlink(path) }
        }
    }

    private static func make(_ family: Int32) throws(Fault) -> Int32 {
        #if os(Linux)
            let descriptor = Platform.socket(
                family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = Platform.socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Fault(code: errno) }
        return descriptor
    }

    private static func bind(_ host: String, _ port: Int) throws(Fault) -> Int32 {
        let isV6 = host.contains(":")
        let descriptor = try make(isV6 ? AF_INET6 : AF_INET)
        var flag: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &flag, socklen_t(MemoryLayout<Int32>.size))
        let status: Int32
        if isV6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            status = Self.bind(descriptor, &address, MemoryLayout<sockaddr_in6>.size)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            status = Self.bind(descriptor, &address, MemoryLayout<sockaddr_in>.size)
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw Fault(code: code)
        }
        return descriptor
    }

    private static func bind(path: String, mode: Int?) throws(Fault) -> Int32 {
        let descriptor = try make(AF_UNIX)
        // On Linux the file gets the mode of the socket that is bound to it.
        if let mode { _ = fchmod(descriptor, mode_t(mode)) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // ListenAddress has checked that the path is shorter than the field.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        var status = Self.bind(descriptor, &address, MemoryLayout<sockaddr_un>.size)
        if status == 0, let mode { status = chmod(path, mode_t(mode)) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw Fault(code: code)
        }
        return descriptor
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address, _ size: Int) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                Platform.bind(descriptor, $0.baseAddress, socklen_t(size))
            }
        }
    }
}
