import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Serves a site over HTTP/1.1, on one event loop.
struct FixtureServer: Sendable {
    /// With the port that the system chose, if it was to choose.
    let address: FixtureAddress
    private let group: MultiThreadedEventLoopGroup

    /// Blocks until the server listens. Throws the reason, as one sentence.
    static func start(
        _ site: FixtureSite, on address: FixtureAddress, maximumBody: Int = 16 << 20
    ) throws -> FixtureServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        FixtureHandler(site, maximumBody: maximumBody))
                }
            }
        do {
            let channel = try bootstrap.bind(host: address.host, port: address.port).wait()
            var bound = address
            bound.port = channel.localAddress?.port ?? address.port
            return FixtureServer(address: bound, group: group)
        } catch {
            try? group.syncShutdownGracefully()
            throw FixtureFailure("cannot listen on \(address): \(reason(error, address))")
        }
    }

    /// Closes the listener and all connections, and waits for it.
    @available(*, noasync)
    func stop() throws { try group.syncShutdownGracefully() }

    func stop() async throws { try await group.shutdownGracefully() }

    private static func reason(_ error: any Error, _ address: FixtureAddress) -> String {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: "the port is in use; port 0 lets the system choose a free one"
        case EACCES, EPERM: "ports below 1024 need privileges; choose a higher one, or 0"
        case EADDRNOTAVAIL: "\(address.host) is no address of this machine"
        case let code?: String(cString: strerror(code))
        case nil: "\(address.host) can't be resolved"
        }
    }
}
