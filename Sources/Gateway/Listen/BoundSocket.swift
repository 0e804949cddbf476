package import Platform

/// Binds sockets to addresses.
package enum BoundSocket {
    package struct Fault: Error {
        /// A number of errno(3).
        package let code: Int32

        package init(code: Int32) { self.code = code }
    }

    /// A bound socket that doesn't listen yet, and is not inherited.
    ///
    /// - Parameter mode: The mode of a Unix socket's file, from the first moment on; nil leaves it to the
    ///   process's umask.
    package static func bind(_ address: ListenAddress, mode: Int? = nil) throws(Fault) -> CInt {
        switch address {
        case .unix(let path): try bind(path: path, mode: mode)
        case .ip(let host, let port): try bind(host, in_port_t(truncatingIfNeeded: port).bigEndian)
        }
    }

    private static func bind(path: String, mode: Int?) throws(Fault) -> CInt {
        let descriptor = try make(AF_UNIX)
        // On Linux the file gets the mode of the socket that is bound to it.
        if let mode { _ = fchmod(descriptor, mode_t(mode)) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // ListenAddress has checked that the path is shorter than the field.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try bind(descriptor, &address)
        if let mode, chmod(path, mode_t(mode)) != 0 {
            let code = errno
            close(descriptor)
            unlink(path)
            throw Fault(code: code)
        }
        return descriptor
    }

    /// - Parameter port: In the order of the network.
    private static func bind(_ host: String, _ port: in_port_t) throws(Fault) -> CInt {
        let isV6 = host.contains(":")
        let descriptor = try make(isV6 ? AF_INET6 : AF_INET)
        var flag: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &flag, socklen_t(MemoryLayout<Int32>.size))
        if isV6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port
            inet_pton(AF_INET6, host, &address.sin6_addr)
            try bind(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port
            inet_pton(AF_INET, host, &address.sin_addr)
            try bind(descriptor, &address)
        }
        return descriptor
    }

    private static func make(_ family: Int32) throws(Fault) -> CInt {
        #if os(Linux)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Fault(code: errno) }
        return descriptor
    }

    /// Closes the socket if it can't be bound.
    private static func bind<Address>(_ descriptor: CInt, _ address: inout Address) throws(Fault) {
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                Platform.bind(descriptor, addresses.baseAddress, socklen_t(bytes.count))
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw Fault(code: code)
        }
    }
}
