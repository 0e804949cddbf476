import Platform

// The system's calls under other names: inside types with a method `close` or `send` they could only be named
// with the system module, whose name differs between systems.

public func closeSocket(_ socket: Int32) { _ = close(socket) }

func shutDownSocket(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }

/// A program that a test starts would otherwise hold the connection open.
private func keepFromChildren(_ socket: Int32) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

/// The next connection of a listener; nil if the listener was shut down.
func acceptSocket(_ listener: Int32) -> Int32? {
    var socket = accept(listener, nil, nil)
    while socket < 0 && errno == EINTR { socket = accept(listener, nil, nil) }
    guard socket >= 0 else { return nil }
    keepFromChildren(socket)
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return socket
}

/// False if the other side has gone. Many tests do this, so it must raise no signal.
public func sendAll(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Bool {
    #if canImport(Darwin)
        let flags: Int32 = 0
    #else
        let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes
    while !rest.isEmpty {
        let count = send(socket, rest.baseAddress, rest.count, flags)
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
}

/// The bytes that have arrived, at least one; nil if the connection is closed.
public func receiveSome(from socket: Int32) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
        var received = recv(socket, buffer.baseAddress, buffer.count, 0)
        while received < 0 && errno == EINTR { received = recv(socket, buffer.baseAddress, buffer.count, 0) }
        count = max(0, received)
    }
    return bytes.isEmpty ? nil : bytes
}

/// Limits waits for reading and sending on the socket to ``TestTimeout``.
public func limitWaits(of socket: Int32) {
    var timeout = timeval(tv_sec: TestTimeout.limit, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
}

/// Makes closing the socket send a reset.
func armReset(_ socket: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}

/// A listener on 127.0.0.1, and the port that the system chose for it.
public func listenOnLoopback() -> (socket: Int32, port: Int) {
    #if os(Linux)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    keepFromChildren(listener)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(listener, address, size) == 0 && listen(listener, 1024) == 0
                && getsockname(listener, address, &size) == 0
        }
    }
    precondition(isListening, "the loopback peer cannot listen: error \(errno)")
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

/// A listener on a Unix domain socket, whose file must not exist yet.
func listenOnUnixSocket(_ path: String) -> Int32 {
    #if os(Linux)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let listener = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    keepFromChildren(listener)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
        guard path.utf8.count < place.count else { return false }
        place.copyBytes(from: path.utf8)
        return true
    }
    let isListening = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                && listen(listener, 1024) == 0
        }
    }
    precondition(fits && isListening, "the loopback peer cannot listen at '\(path)': error \(errno)")
    return listener
}
