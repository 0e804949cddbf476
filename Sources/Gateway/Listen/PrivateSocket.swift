import NIOCore
import Platform

/// A Unix socket that only some users can open.
enum PrivateSocket {
    /// A bound socket that doesn't listen yet. The file has its mode from the first moment on.
    static func bind(path: String, mode: Int) throws -> CInt {
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        // On Linux the file gets the mode of the socket that is bound to it.
        _ = fchmod(descriptor, mode_t(mode))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path was checked to be shorter than the field.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                bindSocket(descriptor, addresses.baseAddress, socklen_t(bytes.count))
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw IOError(errnoCode: code, reason: "bind")
        }
        guard chmod(path, mode_t(mode)) == 0 else {
            let code = errno
            close(descriptor)
            unlink(path)
            throw IOError(errnoCode: code, reason: "chmod")
        }
        return descriptor
    }
}

/// Calls the system's `bind`, because the type has a function of the same name.
private func bindSocket(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> CInt {
    bind(descriptor, address, size)
}
