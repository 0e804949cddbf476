import Platform
import TestSupport

/// A plain socket. Reading waits for bytes, sending for room; if neither comes, that is an error
/// (``TestTimeout``).
final class Client {
    struct Failure: Error {
        let what: String
    }

    private let descriptor: Int32
    private var received: [UInt8] = []
    /// The other side ended the connection by a reset.
    private(set) var wasReset = false

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        descriptor = Self.open(AF_INET)
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        try Self.connect(descriptor, &address)
    }

    /// Connects to the loopback of IPv6.
    init(port6 port: UInt16) throws {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        descriptor = Self.open(AF_INET6)
        try Self.connect(descriptor, &address)
    }

    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        descriptor = Self.open(AF_UNIX)
        try Self.connect(descriptor, &address)
    }

    deinit { close(descriptor) }

    /// Leaves a socket's file as a killed program does: no process listens.
    static func leaveSocket(at path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = open(AF_UNIX)
        withUnsafeBytes(of: &address) { bytes in
            // The buffer is a whole sockaddr_un.
            _ = bind(
                descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        close(descriptor)
    }

    private static func open(_ family: Int32) -> Int32 {
        #if os(Linux)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        limitWaits(of: descriptor)
        return descriptor
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        let status = withUnsafeBytes(of: &address) { bytes in
            // The buffer is a whole sockaddr_in or sockaddr_un.
            connectSocket(
                descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard status == 0 else { throw Failure(what: "connect: \(errno)") }
    }

    /// Sends on the same connection from another thread, where it may block longer than this client lives.
    final class Sender: Sendable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) { self.descriptor = dup(descriptor) }

        deinit { close(descriptor) }

        /// False if the other side takes no more bytes.
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { sendBytes(descriptor, $0) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    var sender: Sender { Sender(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendBytes(descriptor, $0) }
            guard count > 0 else { throw Failure(what: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the sending direction.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next answer. Its Content-Length says how long the body is.
    func answer(isHead: Bool = false) throws -> Answer {
        var answer = try headAlone()
        if isHead || answer.status == 304 || answer.status == 204 || answer.status == 100 { return answer }
        answer.body = try bytes(answer["Content-Length"].flatMap { Int($0) } ?? 0)
        return answer
    }

    /// The next head.
    func headAlone() throws -> Answer {
        var end: Int?
        while true {
            end = Self.headEnd(received)
            if end != nil { break }
            guard try receive() else {
                throw Failure(what: "closed inside a head: \(String(decoding: received, as: UTF8.self))")
            }
        }
        let length = end ?? 0
        let answer = Answer(head: String(decoding: received[..<length], as: UTF8.self))
        received.removeFirst(length)
        return answer
    }

    /// The next bytes, as text.
    func bytes(_ count: Int) throws -> String {
        while received.count < count {
            guard try receive() else { throw Failure(what: "closed inside a body") }
        }
        defer { received.removeFirst(count) }
        return String(decoding: received[..<count], as: UTF8.self)
    }

    /// Drops the bytes that have arrived, or the next ones; returns their number.
    func takeAll() throws -> Int {
        if received.isEmpty, try !receive() { throw Failure(what: "closed") }
        defer { received = [] }
        return received.count
    }

    /// The next line of a stream, without its end.
    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: 10) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                return line
            }
            guard try receive() else { throw Failure(what: "closed inside a line") }
        }
    }

    /// Takes the bytes that have arrived, or waits for some; returns the number that is there now.
    func takeSome() throws -> Int {
        guard try receive() else { throw Failure(what: "closed") }
        return received.count
    }

    /// All bytes until the other side closes.
    func rest() throws -> [UInt8] {
        while try receive() {}
        defer { received = [] }
        return received
    }

    /// True if the other side closes without another byte.
    func isClosed() throws -> Bool {
        if !received.isEmpty { return false }
        return try !receive()
    }

    /// False at the end.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == ECONNRESET {
            wasReset = true
            return false
        }
        guard count >= 0 else {
            throw Failure(what: "nothing came in \(TestTimeout.limit) seconds: \(errno)")
        }
        received += buffer[..<count]
        return count > 0
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }
}

private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t)
    -> Int32
{
    connect(descriptor, address, size)
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if os(Linux)
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
}
