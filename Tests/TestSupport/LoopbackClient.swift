import Platform

/// A plain socket to a port of this machine.
public final class LoopbackClient: Sendable {
    /// The connection failed. This fails one test and must not end all others.
    public struct Refused: Error, CustomStringConvertible {
        let place: String
        let number: Int32

        public var description: String {
            "cannot connect to \(place): \(String(cString: strerror(number)))"
        }
    }

    private let socket: Int32

    #if os(Linux)
        private static let type = Int32(SOCK_STREAM.rawValue)
    #else
        private static let type = SOCK_STREAM
    #endif

    public convenience init(port: Int) throws(Refused) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try self.init(AF_INET, &address, "port \(port)")
    }

    /// Connects to a Unix socket.
    public convenience init(path: String) throws(Refused) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        try self.init(AF_UNIX, &address, path)
    }

    private init<Address>(_ family: Int32, _ address: inout Address, _ place: String) throws(Refused) {
        socket = makeSocket(family, Self.type, 0)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        if connected != 0 { throw Refused(place: place, number: errno) }
        limitWaits(of: socket)
    }

    deinit { close(socket) }

    /// If the server has closed, bytes can't be sent. Then the answer is missing.
    public func send(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { sendAll($0, to: socket) }
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { sendAll($0, to: socket) }
    }

    /// The bytes that have arrived, at least one; nil when the server closes.
    public func receive() -> [UInt8]? { receiveSome(from: socket) }

    /// Ends both directions, and any wait for bytes.
    func shutDown() { shutDownSocket(socket) }

    /// Sends, and reads until the server closes. An answer that doesn't end is marked at its end.
    public func exchange(_ text: String) -> String {
        send(text)
        var received: [UInt8] = []
        errno = 0
        while let some = receiveSome(from: socket) { received += some }
        let isInVain = errno == EAGAIN || errno == EWOULDBLOCK
        return String(decoding: received, as: UTF8.self)
            + (isInVain ? "(waited \(TestTimeout.limit) seconds in vain for the end)" : "")
    }

    /// True if bytes can be read without waiting.
    public var hasAnswer: Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
    }
}

private func makeSocket(_ domain: Int32, _ type: Int32, _ proto: Int32) -> Int32 {
    socket(domain, type, proto)
}
