import Synchronization

/// A scripted HTTP server on 127.0.0.1, on a port of the system's choice, or on a Unix domain socket. The
/// test decides every byte.
///
/// The handler runs on a thread of each connection, for one request at a time. It may block there, at a
/// ``Gate`` or with ``PeerConnection/stall()``. When it returns, the next request of the connection is read.
public final class LoopbackPeer: Sendable {
    public typealias Handler = @Sendable (PeerRequest, PeerConnection) -> Void

    private let state: PeerState
    /// 0 on a Unix domain socket.
    public let port: Int

    /// - Parameter readsBodies: False leaves request bodies unread.
    public convenience init(readsBodies: Bool = true, _ handler: @escaping Handler) {
        let (socket, port) = listenOnLoopback()
        self.init(listener: socket, port: port, readsBodies: readsBodies, handler)
    }

    /// Listens at `unixSocket`, a path without a file. The file stays.
    public convenience init(unixSocket: String, _ handler: @escaping Handler) {
        self.init(listener: listenOnUnixSocket(unixSocket), port: 0, readsBodies: true, handler)
    }

    /// A SOCKS server (RFC 1928) that also plays the destinations. `destinations` gets each requested
    /// `host:port`.
    public convenience init(
        destinations: @escaping @Sendable (String) -> Void, _ handler: @escaping Handler
    ) {
        let (socket, port) = listenOnLoopback()
        self.init(
            listener: socket, port: port, readsBodies: true, destinations: destinations, handler)
    }

    private init(
        listener: Int32, port: Int, readsBodies: Bool, destinations: (@Sendable (String) -> Void)? = nil,
        _ handler: @escaping Handler
    ) {
        let state = PeerState(listener: listener)
        self.state = state
        self.port = port
        PeerThread.start {
            while let connection = state.accept() {
                PeerThread.start {
                    connection.serve(readsBodies: readsBodies, destinations: destinations) { request in
                        state.record(request)
                        handler(request, connection)
                    }
                    state.drop(connection)
                }
            }
        }
    }

    /// Answers each request with the bytes that `respond` makes of it.
    public convenience init(respond: @escaping @Sendable (PeerRequest) -> [UInt8]) {
        self.init { request, connection in connection.send(respond(request)) }
    }

    deinit { close() }

    /// Without a slash at the end.
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    /// All requests so far, in the order in which they were read.
    public var requests: [PeerRequest] { state.requests }

    /// The number of connections that were accepted so far.
    public var connectionCount: Int { state.connectionCount }

    /// Closes all connections and stops listening. Ends every stall.
    public func close() { state.close() }

    /// A port on which no server listens.
    public static func unusedPort() -> Int { unusedPorts(1)[0] }

    /// Several such ports, all different.
    public static func unusedPorts(_ count: Int) -> [Int] {
        let listeners = (0..<count).map { _ in listenOnLoopback() }
        for listener in listeners { closeSocket(listener.socket) }
        return listeners.map(\.port)
    }
}
