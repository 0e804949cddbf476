import Gateway
import Platform

/// The listening sockets of a host. The supervisor binds each once, and every worker accepts its connections,
/// so clients of a worker that ends wait in the queue of the others.
struct SharedSockets {
    /// Connections that wait to be accepted, at each address.
    private static let backlog: Int32 = 1024

    private var sockets: [String: Int32]
    /// The addresses of the service manager's sockets, which stay open.
    private let given: Set<String>
    /// The files of Unix sockets that this process made.
    private var files: [String: String] = [:]

    /// - Parameter given: Sockets of a service manager, by their addresses.
    init(given: [String: Int32] = [:]) { (sockets, self.given) = (given, Set(given.keys)) }

    /// The socket for a name, which is bound at the first call.
    ///
    /// - Parameters:
    ///   - name: Distinguishes addresses whose port the system chooses.
    ///   - mode: The mode of a Unix socket's file; nil leaves it to the process's umask.
    mutating func socket(
        _ name: String, at address: ListenAddress, mode: Int?
    ) throws(BoundSocket.Fault) -> Int32 {
        if let known = sockets[name] ?? sockets["\(address)"] { return known }
        if case .unix(let path) = address, LocalSocket.isAbandoned(path) { unlink(path) }
        let socket = try BoundSocket.bind(address, mode: mode)
        guard listen(socket, Self.backlog) == 0 else {
            let code = errno
            close(socket)
            throw BoundSocket.Fault(code: code)
        }
        sockets[name] = socket
        if case .unix(let path) = address { files[name] = path }
        return socket
    }

    /// Closes the sockets that no worker uses.
    mutating func keep(only names: Set<String>) {
        for (name, socket) in sockets where !names.contains(name) && !given.contains(name) {
            close(socket)
            sockets[name] = nil
            if let path = files.removeValue(forKey: name) { unlink(path) }
        }
    }
}
