import Platform
import RestEngine

/// Waits for one request to a port of the loopback address, and answers it with a page for the person.
final class LoopbackRedirect: Sendable {
    let url: String
    private let descriptor: Int32
    private let path: String

    /// - Parameter url: `http://127.0.0.1:PORT/PATH` or the same with `localhost`; nil for a port that the
    ///   system chooses. The result is nil for another URL, or a port that can't be listened on.
    init?(url: String?) {
        guard let address = Self.address(of: url ?? "http://127.0.0.1:0/callback") else { return nil }
        #if os(Linux)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = address.port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Platform.listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            Platform.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        path = address.path.isEmpty ? "/" : address.path
        self.url = "http://\(address.host):\(UInt16(bigEndian: place.sin_port))\(address.path)"
    }

    func close() { Platform.close(descriptor) }

    /// The parts of such a URL. The server compares all of it with the one that it knows, so the name stays.
    static func address(of url: String) -> (host: String, port: UInt16, path: String)? {
        for host in ["127.0.0.1", "localhost"] where url.hasPrefix("http://\(host):") {
            let rest = url.dropFirst("http://\(host):".count)
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let port = UInt16(digits) else { return nil }
            let path = String(rest.dropFirst(digits.count))
            guard path.isEmpty || path.hasPrefix("/"), !path.contains("?") else { return nil }
            return (host, port, path)
        }
        return nil
    }

    /// The query of the first request for the path; nil when none comes in time. Browsers also ask for other
    /// paths, such as an icon: those get 404.
    func wait(seconds: Int32) -> String? {
        let end = ClockReading.uptime + Double(seconds)
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = end - ClockReading.uptime
            guard left > 0, poll(&waiting, 1, Int32(left * 1000)) > 0 else { return nil }
            let peer = accept(descriptor, nil, nil)
            guard peer >= 0 else { continue }
            defer { Platform.close(peer) }
            guard let target = Self.target(of: peer) else { continue }
            let parts = target.split(separator: "?", maxSplits: 1)
            let isMeant = parts.first.map(String.init) == path
            Self.answer(peer, isMeant)
            if isMeant { return parts.count > 1 ? String(parts[1]) : "" }
        }
    }

    /// The target of a request for GET. A peer has five seconds for its head.
    private static func target(of peer: Int32) -> String? {
        var time = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < 16 << 10 {
            let count = buffer.withUnsafeMutableBytes { recv(peer, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return nil }
            head += buffer[..<count]
            guard head.suffix(count + 3).contains(UInt8(ascii: "\n")) else { continue }
            let line = String(
                decoding: head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            let words = line.split(separator: " ")
            return words.count == 3 && words[0] == "GET" ? String(words[1]) : nil
        }
        return nil
    }

    private static func answer(_ peer: Int32, _ isMeant: Bool) {
        let body = isMeant ? "You may close this page, and go back to the terminal.\n" : "not found\n"
        let text =
            "HTTP/1.1 \(isMeant ? "200 OK" : "404 Not Found")\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, 0) }
    }
}
