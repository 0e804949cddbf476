import NIOCore
import NIOPosix
import NIOSSL
import Platform
import Synchronization

/// A bound address of the gateway. It accepts connections until it is closed.
struct Listener: Sendable {
    /// The one that accepts connections.
    private enum Source {
        case channel(any Channel)
        /// The socket is shared with other processes.
        case shared(SharedAcceptor)
    }

    private let source: Source
    /// The bound address, with the port that the system chose.
    let text: String
    /// The configured address, in which port 0 is still 0.
    let address: ListenAddress
    let state: ListenerState
    private let socketFile: String?

    /// - Parameters:
    ///   - mode: The mode of the socket's file; nil leaves it to the process's umask.
    ///   - inherited: A socket that already listens there, and stays as it is.
    ///   - shared: A socket on which other processes listen, too.
    ///   - former: The listener of another gateway whose socket this one takes over. It accepts no connection
    ///     before ``resume()``.
    static func bind(
        _ address: ListenAddress, text: String, mode: Int?, security: ListenerSecurity?,
        group: MultiThreadedEventLoopGroup, loops all: [NIOLoopBound<GatewayLoop>], room: ConnectionRoom,
        inherited: CInt? = nil, shared: SharedSocket? = nil, former: Listener? = nil
    ) throws(GatewayError) -> Listener {
        let state = ListenerState(text, security)
        if let shared {
            return try Listener(shared, address, state, loops: all, room: room, waits: former != nil)
        }
        let loops = Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0.eventLoop), $0) })
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: former == nil)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(acceptPausing(room, all))
                }
            }
            .childChannelOption(.recvAllocator, value: ConnectionOptions.reading)
            .childChannelOption(.writeSpin, value: ConnectionOptions.writeSpin)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops[ObjectIdentifier(channel.eventLoop)] else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    try addHandlers(to: channel, loop.value, state)
                }
            }
        do {
            if let inherited {
                let own = fcntl(inherited, F_DUPFD_CLOEXEC, 0)
                guard own >= 0 else { throw IOError(errnoCode: errno, reason: "dup") }
                let channel = try bootstrap.withBoundSocket(own).wait()
                return Listener(
                    channel: channel, text: text, address: address, state: state, socketFile: nil)
            }
            if let former {
                let channel = try bootstrap.withBoundSocket(former.duplicatedSocket()).wait()
                return Listener(
                    channel: channel, text: former.text, address: address, state: state, socketFile: nil)
            }
            switch address {
            case .ip(let host, let port):
                let channel = try bootstrap.bind(to: SocketAddress(ipAddress: host, port: port)).wait()
                let bound = channel.localAddress?.listenText ?? text
                return Listener(
                    channel: channel, text: bound, address: address, state: state, socketFile: nil)
            case .unix(let path):
                removeAbandoned(path, group)
                let channel =
                    try mode.map {
                        try bootstrap.withBoundSocket(BoundSocket.bind(address, mode: $0)).wait()
                    }
                    ?? bootstrap.bind(unixDomainSocketPath: path).wait()
                return Listener(
                    channel: channel, text: text, address: address, state: state, socketFile: path)
            }
        } catch {
            throw Self.explain(error, text)
        }
    }

    private init(
        channel: any Channel, text: String, address: ListenAddress, state: ListenerState,
        socketFile: String?
    ) {
        source = .channel(channel)
        (self.text, self.address, self.state, self.socketFile) = (text, address, state, socketFile)
    }

    /// - Parameter waits: True to accept no connection before ``resume()``.
    private init(
        _ shared: SharedSocket, _ address: ListenAddress, _ state: ListenerState,
        loops: [NIOLoopBound<GatewayLoop>], room: ConnectionRoom, waits: Bool
    ) throws(GatewayError) {
        let next = Atomic(0)
        let acceptor = SharedAcceptor(shared.descriptor) { descriptor in
            // The loops take turns.
            let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
            let loop = loops[turn % loops.count]
            ClientBootstrap(group: loop.eventLoop)
                .channelOption(.recvAllocator, value: ConnectionOptions.reading)
                .channelOption(.writeSpin, value: ConnectionOptions.writeSpin)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Self.addHandlers(to: channel, loop.value, state)
                    }
                }
                .withConnectedSocket(descriptor)
                .whenFailure { _ in }
        } refused: { code in
            if room.noteRefusal(IOError(errnoCode: code, reason: "accept")) { return nil }
            for loop in loops { loop.eventLoop.execute { loop.value.makeRoom() } }
            return Double(ConnectionRoom.acceptPause.nanoseconds) / 1e9
        }
        guard let acceptor else { throw .listening(at: shared.bound, code: errno) }
        source = .shared(acceptor)
        (text, self.address, self.state, socketFile) = (shared.bound, address, state, nil)
        if !waits { acceptor.start() }
    }

    private static func addHandlers(
        to channel: any Channel, _ loop: GatewayLoop, _ state: ListenerState
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        loop.refreshRules()
        let awaitsHeader = loop.rules.access.proxyListeners.contains(state.text)
        if awaitsHeader {
            let proxies = loop.rules.access.proxies
            try pipeline.addHandler(
                ProxyHeaderHandler { proxies.contains($0?.ipAddress.flatMap(NetworkAddress.init(peer:))) })
        }
        guard let security = state.security else {
            return try pipeline.addHandler(
                ConnectionHandler(loop: loop, listener: state, awaitsHeader: awaitsHeader))
        }
        let secure = SecureSide(authority: security.authority)
        try pipeline.addHandlers([
            ProtocolRefusal(), NIOSSLServerHandler(context: security.context), secure.writer,
            ConnectionHandler(loop: loop, listener: state, secure: secure),
        ])
    }

    /// Pauses accepting after an error. Without the pause a client that can't be accepted would be tried
    /// again and again, which uses a whole processor.
    private static func acceptPausing(
        _ room: ConnectionRoom, _ loops: [NIOLoopBound<GatewayLoop>]
    ) -> AcceptBackoffHandler {
        AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
            if room.noteRefusal(error) { return nil }
            for loop in loops {
                loop.eventLoop.execute { loop.value.makeRoom() }
            }
            return ConnectionRoom.acceptPause
        }
    }

    /// Its socket under a second number, so that it goes on listening when this listener closes.
    private func duplicatedSocket() throws -> CInt {
        guard case .channel(let channel) = source else {
            throw IOError(errnoCode: EINVAL, reason: "a shared socket")
        }
        return try channel.eventLoop.submit { [channel] in
            let own = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { fcntl($0, F_DUPFD_CLOEXEC, 0) }
            guard let own, own >= 0 else { throw IOError(errnoCode: errno, reason: "dup") }
            return own
        }.wait()
    }

    /// Begins to accept connections on the socket of a former listener; no effect on others.
    func resume() {
        switch source {
        case .channel(let channel): try? channel.setOption(.autoRead, value: true).wait()
        case .shared(let acceptor): acceptor.start()
        }
    }

    /// Returns when the address is free and accepted clients have their connections. A socket that another
    /// process shares keeps its waiting clients.
    func close(_ loops: [NIOLoopBound<GatewayLoop>] = []) {
        let own = loops.map(\.eventLoop)
        guard case .channel(let channel) = source else {
            if case .shared(let acceptor) = source { acceptor.stop() }
            // The last connections are set up on their loops.
            for eventLoop in own + own { try? eventLoop.submit {}.wait() }
            return
        }
        try? channel.setOption(.autoRead, value: false).wait()
        // The network library prepares a connection on the connection's event loop, goes back to the
        // listener's loop, and opens it on its own. If the listener is closed meanwhile, the library closes
        // the connection.
        for eventLoop in own + [channel.eventLoop] + own { try? eventLoop.submit {}.wait() }
        try? channel.close().wait()
        if let socketFile { unlink(socketFile) }
    }

    /// Accepts no more connections, and ends the existing ones, each after the request under way.
    func leave(_ loops: [NIOLoopBound<GatewayLoop>]) {
        state.beginClosing()
        close(loops)
        for loop in loops {
            loop.eventLoop.execute { loop.value.drain(state) }
        }
    }

    /// Removes a socket file whose program was killed. No process answers on it, so it may go.
    private static func removeAbandoned(_ path: String, _ group: MultiThreadedEventLoopGroup) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        do {
            let channel = try ClientBootstrap(group: group).connectTimeout(.seconds(1))
                .connect(unixDomainSocketPath: path).wait()
            try? channel.close().wait()
        } catch let error as IOError where error.errnoCode == ECONNREFUSED {
            unlink(path)
        } catch {}
    }

    private static func explain(_ error: any Error, _ text: String) -> GatewayError {
        if let fault = error as? BoundSocket.Fault { return .listening(at: text, code: fault.code) }
        guard let error = error as? IOError else { return .cannotListen(text, message: "\(error)") }
        return .listening(at: text, code: error.errnoCode)
    }
}

/// The options of the connections of clients.
private enum ConnectionOptions {
    /// A request is small, and the bytes of one read stay in memory until it is answered.
    static var reading: AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 16 << 10)
    }
    /// A write of a large body takes megabytes and milliseconds, so other connections run between two writes.
    static let writeSpin: UInt = 0
}

extension ListenAddress {
    /// The addresses with their texts, in the order given.
    static func list(
        _ texts: [String]
    ) throws(GatewayError) -> [(text: String, address: ListenAddress)] {
        var addresses: [(text: String, address: ListenAddress)] = []
        for text in texts {
            let address: ListenAddress
            do throws(Fault) { address = try ListenAddress(text) } catch {
                throw .badAddress(text, why: error.why)
            }
            // An address's options are found by its text, so two equal texts would share them.
            guard !addresses.contains(where: { $0.text == text }) else {
                throw .badAddress(text, why: "it is listed twice; give each listener an address of its own")
            }
            addresses.append((text, address))
        }
        return addresses
    }
}

extension SocketAddress {
    /// The other end is on the loopback or a Unix socket.
    var isOfThisMachine: Bool {
        guard let address = ipAddress else { return true }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }

    /// The address in the form of a listen address.
    var listenText: String {
        switch self {
        case .v4: "\(ipAddress ?? ""):\(port ?? 0)"
        case .v6: "[\(ipAddress ?? "")]:\(port ?? 0)"
        case .unixDomainSocket: "unix:\(pathname ?? "")"
        }
    }
}
