import RestEngine
import Synchronization
import Testing

/// The server's end of one connection. A handler writes any bytes to it, well formed or not.
public final class PeerConnection: Sendable {
    /// From 1, in the order in which the connections were accepted.
    public let number: Int
    private let socket: Int32
    private let isOpen = Atomic<Bool>(true)
    private let closed = Gate()

    init(socket: Int32, number: Int) {
        self.socket = socket
        self.number = number
    }

    deinit { closeSocket(socket) }

    // MARK: Writing

    public func send(_ text: String) { send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { sendAll($0, to: socket) }
    }

    /// Sends each piece in its own packet.
    public func send(_ bytes: [UInt8], inPiecesOf size: Int) {
        for start in stride(from: 0, to: bytes.count, by: size) {
            send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    /// Sends a complete response with its Content-Length.
    public func respond(
        _ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []
    ) {
        send(Self.response(status, headers: headers, body: body))
    }

    public func respond(_ status: Int = 200, headers: [(String, String)] = [], text: String) {
        respond(status, headers: headers, body: Array(text.utf8))
    }

    public static func response(
        _ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    /// Answers 200 to a CONNECT (RFC 9110 9.3.6), then carries bytes between the client and a port of this
    /// machine until one side closes.
    public func tunnel(to port: Int) {
        guard let server = try? LoopbackClient(port: port) else { return respond(502) }
        send("HTTP/1.0 200 Connection established\r\nProxy-agent: peer\r\n\r\n")
        PeerThread.start { [self] in
            while let some = server.receive() { send(some) }
            close()
        }
        while let some = receive() { server.send(some) }
        server.shutDown()
    }

    // MARK: Waiting and ending

    /// Waits until the other side closes or the peer is closed. Bytes that arrive meanwhile are dropped.
    public func stall() {
        while receive() != nil {}
    }

    /// Waits until the peer is closed, without reading, so that the other side's bytes pile up.
    public func stallWithoutReading() { closed.wait() }

    /// Closes the connection.
    public func close() {
        isOpen.store(false, ordering: .relaxed)
        shutDownSocket(socket)
        closed.open()
    }

    /// Resets the connection when the handler returns.
    public func reset() {
        armReset(socket)
        isOpen.store(false, ordering: .relaxed)
    }

    // MARK: Reading

    /// Serves requests until one side closes.
    ///
    /// - Parameter destinations: For a SOCKS server, which plays all destinations: gets the address that a
    ///   client asks for.
    func serve(
        readsBodies: Bool, destinations: (@Sendable (String) -> Void)? = nil, _ handle: (PeerRequest) -> Void
    ) {
        var input = PeerInput { self.receive() }
        if let destinations {
            guard let destination = input.readSOCKS(send) else { return close() }
            destinations(destination)
        }
        while isOpen.load(ordering: .relaxed), let head = input.readHead() {
            guard var request = PeerRequest(head: head, connection: number) else { break }
            if readsBodies {
                guard let body = input.readBody(request.headers) else { break }
                request.body = body
            }
            handle(request)
        }
    }

    private func receive() -> [UInt8]? { receiveSome(from: socket) }
}
