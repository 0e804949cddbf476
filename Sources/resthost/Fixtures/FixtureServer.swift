import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Synchronization

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

/// Where to listen: `host:port`, with an IPv6 address in brackets.
struct FixtureAddress: Equatable, Sendable, CustomStringConvertible {
    let host: String
    var port: Int

    init(_ text: String) throws(FixtureFailure) {
        let failure = FixtureFailure("cannot listen on \(text): expected HOST:PORT, such as 127.0.0.1:0")
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { throw failure }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw failure
        }
        guard !host.isEmpty else { throw failure }
        self.host = String(host)
        self.port = port
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why the server can't start, as one sentence.
struct FixtureFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The routes, shared by the connections, with the clock they are asked at.
final class FixtureSite: Sendable {
    private let routes: Mutex<FixtureRoutes>
    private let now: @Sendable () -> Double

    init(_ routes: FixtureRoutes, now: @escaping @Sendable () -> Double) {
        self.routes = Mutex(routes)
        self.now = now
    }

    func respond(to request: FixtureRequest) -> FixtureResponse {
        let time = now()
        return routes.withLock { $0.respond(to: request, at: time) }
    }
}
