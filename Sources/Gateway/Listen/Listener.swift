import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One bound address.
struct Listener: Sendable {
    let channel: any Channel
    /// As bound: with the port that the system chose.
    let text: String
    private let socketFile: String?

    static func bind(
        _ address: ListenAddress, text: String, group: MultiThreadedEventLoopGroup,
        loops: [NIOLoopBound<GatewayLoop>]
    ) async throws(GatewayError) -> Listener {
        let loops = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops[ObjectIdentifier(channel.eventLoop)] else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(loop: loop.value))
                }
            }
        do {
            switch address {
            case .socket(let address):
                let channel = try await bootstrap.bind(to: address).get()
                let bound = channel.localAddress?.listenText ?? text
                return Listener(channel: channel, text: bound, socketFile: nil)
            case .unix(let path):
                await removeAbandoned(path, group)
                let channel = try await bootstrap.bind(unixDomainSocketPath: path).get()
                return Listener(channel: channel, text: text, socketFile: path)
            }
        } catch {
            throw Self.explain(error, text)
        }
    }

    func close() async {
        try? await channel.close().get()
        if let socketFile { unlink(socketFile) }
    }

    /// A socket file outlives its program if that was killed. Nobody answers on it then, and it may go.
    private static func removeAbandoned(_ path: String, _ group: MultiThreadedEventLoopGroup) async {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        do {
            let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
            try? await channel.close().get()
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
