import RestEngine

/// Takes heads and bodies from the bytes of a connection.
struct PeerInput {
    private let receive: () -> [UInt8]?
    private var buffer: [UInt8] = []

    /// - Parameter receive: Returns the next bytes, or nil when the connection is closed.
    init(_ receive: @escaping () -> [UInt8]?) { self.receive = receive }

    /// Reads up to the blank line, which is included; nil if the connection closes before.
    mutating func readHead() -> [UInt8]? { readThrough([13, 10, 13, 10]) }

    /// The body without its framing.
    mutating func readBody(_ headers: Headers) -> [UInt8]? {
        if headers["transfer-encoding"] == "chunked" { return readChunks() }
        return read(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private mutating func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = readThrough([13, 10]) {
            let digits = String(decoding: line.dropLast(2).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let count = Int(digits, radix: 16), let chunk = read(count), readThrough([13, 10]) != nil
            else {
                return nil
            }
            if count == 0 { return body }
            body += chunk
        }
        return nil
    }

    /// The destination that a SOCKS client asks for after its greeting (RFC 1928 3, 4), as `host:port`; nil
    /// for anything else. `send` answers it: no login is needed, and the connection is open.
    mutating func readSOCKS(_ send: ([UInt8]) -> Void) -> String? {
        guard let greeting = read(2), greeting[0] == 5, read(Int(greeting[1])) != nil else { return nil }
        send([5, 0])
        guard let head = read(4), head[..<3].elementsEqual([5, 1, 0]) else { return nil }
        var host: String?
        switch head[3] {
        case 1: host = read(4).map { $0.map { "\($0)" }.joined(separator: ".") }
        case 3: host = read(1).flatMap { read(Int($0[0])) }.map { String(decoding: $0, as: UTF8.self) }
        default: return nil
        }
        guard let host, let port = read(2) else { return nil }
        send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        return "\(host):\(Int(port[0]) << 8 | Int(port[1]))"
    }

    private mutating func readThrough(_ mark: [UInt8]) -> [UInt8]? {
        var checked = 0
        while true {
            var index = checked
            while index + mark.count <= buffer.count {
                if buffer[index..<(index + mark.count)].elementsEqual(mark) {
                    return take(index + mark.count)
                }
                index += 1
            }
            checked = max(0, buffer.count - mark.count + 1)
            guard receiveMore() else { return nil }
        }
    }

    private mutating func read(_ count: Int) -> [UInt8]? {
        while buffer.count < count {
            guard receiveMore() else { return nil }
        }
        return take(count)
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(buffer[..<count])
        buffer.removeFirst(count)
        return taken
    }

    private mutating func receiveMore() -> Bool {
        guard let bytes = receive() else { return false }
        buffer += bytes
        return true
    }
}
