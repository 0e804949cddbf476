import CPlatform
import Platform
import RestEngine

/// One end of the connection between a supervisor and a worker. It sends and receives whole messages, and
/// waits meanwhile.
///
/// A message is a length, the length of its head, a head in JSON, and bytes of any kind.
final class MessageSocket: Sendable {
    struct Message: Sendable {
        var head: Tree
        var bytes: [UInt8] = []
    }

    enum Fault: Error {
        /// The other end is closed, takes nothing for ``patience``, or sends what is no message.
        case broken
    }

    /// Bytes of one message: the files of a script are the longest. See docs/reference/limits.md, L483.
    static let mostBytes = 256 << 20
    /// Seconds that the other end may take nothing.
    private static let patience = 10

    private let descriptor: Int32

    /// Owns the descriptor from now on.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The two ends of a new connection.
    static func pair() -> (MessageSocket, descriptor: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            let made = socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        #else
            let made = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
        #endif
        guard made == 0 else { return nil }
        return (MessageSocket(ends[0]), ends[1])
    }

    /// - Parameter passed: A descriptor that the other process gets, too.
    func send(_ message: Message, passing passed: Int32 = -1) throws(Fault) {
        guard let head = try? message.head.json() else { throw .broken }
        var frame: [UInt8] = []
        frame.reserveCapacity(8 + head.count + message.bytes.count)
        for length in [head.count + message.bytes.count, head.count] {
            withUnsafeBytes(of: UInt32(length).littleEndian) { frame += $0 }
        }
        frame += head
        frame += message.bytes
        var sent = 0
        while sent < frame.count {
            let count = frame.withUnsafeBytes { bytes -> Int in
                guard let start = bytes.baseAddress else { return 0 }
                return cplatform_send(
                    descriptor, start + sent, bytes.count - sent, sent == 0 ? passed : -1)
            }
            guard count > 0 else { throw .broken }
            sent += count
        }
    }

    /// Waits for the next message. The descriptor that came with it is the caller's; -1 if none did.
    func receive() throws(Fault) -> (message: Message, passed: Int32) {
        var passed: Int32 = -1
        do throws(Fault) {
            let lengths = try read(8, &passed)
            func length(_ offset: Int) -> Int {
                lengths[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            let (whole, headLength) = (length(0), length(4))
            guard whole <= Self.mostBytes, headLength <= whole else { throw .broken }
            let body = try read(whole, &passed)
            guard let head = try? Tree(json: Array(body[..<headLength])) else { throw .broken }
            return (Message(head: head, bytes: Array(body[headLength...])), passed)
        } catch {
            if passed >= 0 { close(passed) }
            throw error
        }
    }

    private func read(_ count: Int, _ passed: inout Int32) throws(Fault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            var descriptor: Int32 = -1
            let part = bytes.withUnsafeMutableBytes { bytes -> Int in
                guard let start = bytes.baseAddress else { return 0 }
                return cplatform_receive(self.descriptor, start + received, count - received, &descriptor)
            }
            if descriptor >= 0 {
                if passed >= 0 { close(passed) }
                passed = descriptor
            }
            guard part > 0 else { throw .broken }
            received += part
        }
        return bytes
    }

    /// Wakes a thread that waits in ``receive()``; from now on the connection is broken.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
