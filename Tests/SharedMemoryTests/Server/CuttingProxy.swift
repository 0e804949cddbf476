import Platform
import Synchronization
import TestSupport

/// A proxy on the loopback that ends each connection after a number of bytes of the server's replies.
final class CuttingProxy: Sendable {
    /// Both sockets of a connection, which are open until the threads of both directions have ended.
    private final class Link: Sendable {
        let client: Int32
        let server: Int32

        init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

        func end() { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }

        deinit { for socket in [client, server] { closeSocket(socket) } }
    }

    private struct State {
        var links: [ObjectIdentifier: Link] = [:]
        var limit = Int.max
        var mostPassed = 0
        var connections = 0
        var isClosed = false
    }

    private let listener: Int32
    private let target: Int
    let port: Int
    private let state = Mutex(State())

    /// - Parameter target: The port of the server.
    init(to target: Int) {
        (listener, port) = listenOnLoopback()
        self.target = target
        PeerThread.start { [weak self, listener] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                guard let self else {
                    closeSocket(socket)
                    return
                }
                self.serve(socket)
            }
        }
    }

    var address: String { "redis://127.0.0.1:\(port)" }

    /// The bytes of replies that a later connection lets through.
    var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// The most bytes of replies that one connection has let through.
    var mostPassed: Int { state.withLock { $0.mostPassed } }
    var connectionCount: Int { state.withLock { $0.connections } }

    private func serve(_ client: Int32) {
        guard let server = Self.connect(to: target) else {
            closeSocket(client)
            return
        }
        let link = Link(client: client, server: server)
        let limit = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.links[ObjectIdentifier(link)] = link
            state.connections += 1
            return state.limit
        }
        guard let limit else { return link.end() }
        PeerThread.start {
            while let bytes = receiveSome(from: link.client), Self.send(bytes, link.server) {}
            link.end()
        }
        PeerThread.start { [weak self] in
            var passed = 0
            while passed < limit, let bytes = receiveSome(from: link.server),
                Self.send(Array(bytes.prefix(limit - passed)), link.client)
            {
                passed += min(bytes.count, limit - passed)
                self?.state.withLock { $0.mostPassed = max($0.mostPassed, passed) }
            }
            link.end()
            self?.state.withLock { $0.links[ObjectIdentifier(link)] = nil }
        }
    }

    private static func send(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        bytes.withUnsafeBytes { sendAll($0, to: socket) }
    }

    private static func connect(to port: Int) -> Int32? {
        #if os(Linux)
            let new = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let new = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Platform.connect(new, $0, size) }
        }
        guard status == 0 else {
            closeSocket(new)
            return nil
        }
        return new
    }

    deinit {
        let links = state.withLock { state in
            state.isClosed = true
            return Array(state.links.values)
        }
        for link in links { link.end() }
        shutdown(listener, Int32(SHUT_RDWR))
        closeSocket(listener)
    }
}
