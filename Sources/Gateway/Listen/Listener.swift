import NIOCore
import NIOPosix
import NIOSSL
import Platform
import Synchronization

/// An address that the gateway is bound to; it takes connections until it is closed.
struct Listener: Sendable {
    let channel: any Channel
    /// As bound: with the port that the system chose.
    let text: String
    /// What was asked for; port 0 is still 0 here.
    let address: ListenAddress
    let state: ListenerState
    private let socketFile: String?

    /// - Parameters:
    ///   - mode: of the socket's file; nil leaves it to the process's umask.
    ///   - inherited: a socket that listens there already, and stays as it is.
    static func bind(
        _ address: ListenAddress, text: String, mode: Int?, security: ListenerSecurity?,
        group: MultiThreadedEventLoopGroup, loops all: [NIOLoopBound<GatewayLoop>], room: ConnectionRoom,
        inherited: CInt? = nil
    ) throws(GatewayError) -> Listener {
        let state = ListenerState(text, security)
        let loops = Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0.eventLoop), $0) })
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(acceptPausing(room, all))
                }
            }
            // A request is small; what one read may bring is held until it was answered.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 16 << 10)
            )
            // Of a large body each write takes megabytes and milliseconds: others come between two of them.
            .childChannelOption(.writeSpin, value: 0)
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
                        try bootstrap.withBoundSocket(PrivateSocket.bind(path: path, mode: $0)).wait()
                    }
                    ?? bootstrap.bind(unixDomainSocketPath: path).wait()
                return Listener(
                    channel: channel, text: text, address: address, state: state, socketFile: path)
            }
        } catch {
            throw Self.explain(error, text)
        }
    }

    private static func addHandlers(
        to channel: any Channel, _ loop: GatewayLoop, _ state: ListenerState
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        guard let security = state.security else {
            return try pipeline.addHandler(ConnectionHandler(loop: loop, listener: state))
        }
        let secure = SecureSide(authority: security.authority)
        try pipeline.addHandlers([
            ProtocolRefusal(), NIOSSLServerHandler(context: security.context), secure.writer,
            ConnectionHandler(loop: loop, listener: state, secure: secure),
        ])
    }

    /// Without it a client that can't be accepted is tried again and again, which takes a processor.
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

    /// Returns when the address is free, and those who were accepted have their connections. A socket that
    /// somebody else has too keeps the others.
    func close(_ loops: [NIOLoopBound<GatewayLoop>] = []) {
        try? channel.setOption(.autoRead, value: false).wait()
        // The network library prepares a connection on its own event loop, comes back to the listener's, and
        // opens it on its own; a listener that is closed meanwhile closes it.
        let own = loops.map(\.eventLoop)
        for eventLoop in own + [channel.eventLoop] + own { try? eventLoop.submit {}.wait() }
        try? channel.close().wait()
        if let socketFile { unlink(socketFile) }
    }

    /// Takes no more connections, and ends those it took, each after the request under way.
    func leave(_ loops: [NIOLoopBound<GatewayLoop>]) {
        state.beginClosing()
        close(loops)
        for loop in loops {
            loop.eventLoop.execute { loop.value.drain(state) }
        }
    }

    /// A socket file outlives its program if that was killed. Nobody answers on it then, and it may go.
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
        guard let error = error as? IOError else { return .cannotListen(text, message: "\(error)") }
        return switch error.errnoCode {
        case EADDRINUSE: .addressInUse(text)
        case EACCES, EPERM: .permissionDenied(text)
        case EADDRNOTAVAIL: .addressNotAvailable(text)
        case ENOENT, ENOTDIR: .missingFolder(text)
        default: .cannotListen(text, message: String(cString: strerror(error.errnoCode)))
        }
    }
}

extension ListenAddress {
    /// Each with its text, in the order given.
    static func list(
        _ texts: [String]
    ) throws(GatewayError) -> [(text: String, address: ListenAddress)] {
        var addresses: [(text: String, address: ListenAddress)] = []
        for text in texts {
            let address: ListenAddress
            do throws(Fault) { address = try ListenAddress(text) } catch {
                throw .badAddress(text, why: error.why)
            }
            // The options of an address are found by its text, so both would have the same ones.
            guard !addresses.contains(where: { $0.text == text }) else {
                throw .badAddress(text, why: "it is listed twice; give each listener an address of its own")
            }
            addresses.append((text, address))
        }
        return addresses
    }
}

extension SocketAddress {
    /// Its other end is on the loopback, or a Unix socket.
    var isOfThisMachine: Bool {
        guard let address = ipAddress else { return true }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }

    /// As a listen address is written.
    var listenText: String {
        switch self {
        case .v4: "\(ipAddress ?? ""):\(port ?? 0)"
        case .v6: "[\(ipAddress ?? "")]:\(port ?? 0)"
        case .unixDomainSocket: "unix:\(pathname ?? "")"
        }
    }
}

/// What the connections that came in by one listener know of it.
final class ListenerState: Sendable {
    /// As it was asked for.
    let text: String
    private let closing = Atomic(false)
    private let current: Mutex<ListenerSecurity?>

    init(_ text: String, _ security: ListenerSecurity? = nil) {
        self.text = text
        current = Mutex(security)
    }

    /// Of the next connection; nil: it speaks no TLS.
    var security: ListenerSecurity? { current.withLock { $0 } }

    func use(_ security: ListenerSecurity?) { current.withLock { $0 = security } }

    /// It takes no more connections, and those it took end with the request under way.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    func beginClosing() { closing.store(true, ordering: .relaxed) }
}
