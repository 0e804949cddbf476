import Synchronization

/// The shared state of a ``LoopbackPeer``'s threads. The threads don't keep the peer itself alive.
final class PeerState: Sendable {
    private struct Contents {
        var requests: [PeerRequest] = []
        var open: [PeerConnection] = []
        var connectionCount = 0
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    private let listener: Int32

    init(listener: Int32) { self.listener = listener }

    deinit { closeSocket(listener) }

    var requests: [PeerRequest] { contents.withLock { $0.requests } }

    var connectionCount: Int { contents.withLock { $0.connectionCount } }

    func record(_ request: PeerRequest) { contents.withLock { $0.requests.append(request) } }

    /// The next connection; nil when the peer is closed.
    func accept() -> PeerConnection? {
        guard let socket = acceptSocket(listener) else { return nil }
        return contents.withLock { contents in
            contents.connectionCount += 1
            let connection = PeerConnection(socket: socket, number: contents.connectionCount)
            guard !contents.isClosed else { return nil }
            contents.open.append(connection)
            return connection
        }
    }

    func drop(_ connection: PeerConnection) {
        contents.withLock { $0.open.removeAll { $0 === connection } }
    }

    func close() {
        let open = contents.withLock { contents in
            contents.isClosed = true
            let open = contents.open
            contents.open = []
            return open
        }
        shutDownSocket(listener)
        for connection in open { connection.close() }
    }
}
