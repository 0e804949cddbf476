import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Synchronization

/// A small REST API, made of JSON files or texts and served over HTTP/1.1: something to ask in tests and
/// trials.
///
/// <doc:RestFixtures> says what it answers. It has a thread of its own until `stop()`.
public struct FixtureServer: Sendable {
    let address: ListenAddress
    private let site: FixtureSite
    private let group: MultiThreadedEventLoopGroup

    /// Serves a folder. Blocks until the server listens.
    ///
    /// - Parameters:
    ///   - folder: the folder with the files of answers.
    ///   - listen: an IP address and a port; port 0 is chosen by the system.
    ///   - tokenLifetime: seconds after which a token of `/-/login` expires.
    public static func start(
        folder: String, listen: String = "127.0.0.1:0", tokenLifetime: Double = 60
    ) throws(FixtureServerError) -> FixtureServer {
        let files = try FixtureFolder(folder)
        let access = FixtureGuard(try files.protectedPaths())
        return try start(files, access, listen, tokenLifetime)
    }

    /// Serves texts. Blocks until the server listens.
    ///
    /// - Parameters:
    ///   - texts: by their paths, as files of a folder would have them: `users/octocat.json`.
    ///   - protected: the patterns of paths that need a token, as the lines of a folder's `.protected`.
    ///   - listen: an IP address and a port; port 0 is chosen by the system.
    ///   - tokenLifetime: seconds after which a token of `/-/login` expires.
    public static func start(
        texts: [String: String], protected: [String] = [], listen: String = "127.0.0.1:0",
        tokenLifetime: Double = 60
    ) throws(FixtureServerError) -> FixtureServer {
        let files = FixtureTexts(texts, modified: Int(ClockReading.timeOfDay))
        return try start(files, FixtureGuard(protected.joined(separator: "\n")), listen, tokenLifetime)
    }

    private static func start(
        _ files: any FixtureFiles, _ access: FixtureGuard, _ listen: String, _ tokenLifetime: Double
    ) throws(FixtureServerError) -> FixtureServer {
        let address: ListenAddress
        do throws(ListenAddress.Fault) { address = try ListenAddress(listen) } catch {
            throw FixtureServerError("cannot listen on \(listen): \(error.why); \(addressForm)")
        }
        let routes = FixtureRoutes(
            store: FixtureStore(files: files), tokens: FixtureTokens(lifetime: tokenLifetime), access: access)
        return try start(FixtureSite(routes, now: { ClockReading.timeOfDay }), on: address)
    }

    static func start(
        _ site: FixtureSite, on address: ListenAddress, maximumBody: Int = 16 << 20
    ) throws(FixtureServerError) -> FixtureServer {
        guard case .ip(let host, let port) = address else {
            throw FixtureServerError("cannot listen on \(address): \(addressForm)")
        }
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
            let channel = try bootstrap.bind(to: SocketAddress(ipAddress: host, port: port)).wait()
            let bound = ListenAddress.ip(host: host, port: channel.localAddress?.port ?? port)
            return FixtureServer(address: bound, site: site, group: group)
        } catch {
            try? group.syncShutdownGracefully()
            throw FixtureServerError("cannot listen on \(address): \(reason(error, host))")
        }
    }

    /// Closes the listener and all connections, and waits for it.
    @available(*, noasync)
    public func stop() throws { try group.syncShutdownGracefully() }

    /// Closes the listener and all connections, and waits for it.
    public func stop() async throws { try await group.shutdownGracefully() }

    private static let addressForm = "expected IP:PORT, such as 127.0.0.1:0"

    private static func reason(_ error: any Error, _ host: String) -> String {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: "the port is in use; port 0 lets the system choose a free one"
        case EACCES, EPERM: "ports below 1024 need privileges; choose a higher one, or 0"
        case EADDRNOTAVAIL: "\(host) is no address of this machine"
        case let code?: String(cString: strerror(code))
        case nil: "\(error)"
        }
    }
}

extension FixtureServer {
    /// Where it is asked: `http://127.0.0.1:43211`, with the port that the system chose.
    public var url: String { "http://\(address)" }

    /// How often each path was asked for, whatever the answer; `/-/counts` and `/-/reset` don't count.
    public var requestCounts: [String: Int] { site.withRoutes { $0.counts } }

    /// The served paths, as a table for people.
    public var listing: String {
        site.withRoutes { FixtureListing(store: $0.store, access: $0.access) }.text
    }

    /// Clears the counts; on demand also forgets what was written, and all tokens.
    public func reset(all: Bool = false) { site.withRoutes { $0.reset(all: all) } }
}

/// Why a server can't start, as one sentence.
public struct FixtureServerError: Error, Equatable, CustomStringConvertible {
    public let description: String

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
        return withRoutes { $0.respond(to: request, at: time) }
    }

    func withRoutes<Answer: Sendable>(_ body: (inout FixtureRoutes) -> sending Answer) -> Answer {
        routes.withLock { body(&$0) }
    }
}
