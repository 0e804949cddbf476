/// An address to listen on: `127.0.0.1:8080`, `[::1]:0` (port 0: the system chooses) or `unix:/path`.
package enum ListenAddress: Equatable, Sendable {
    /// `host` is an IP address, without brackets.
    case ip(host: String, port: Int)
    case unix(path: String)

    /// Why a text is none; reads behind "cannot listen on TEXT".
    package struct Fault: Error, Equatable {
        package let why: String
    }

    package init(_ text: String) throws(Fault) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/") else { throw Fault(why: "a socket's path begins with '/'") }
            // sockaddr_un holds 108 bytes on Linux, 104 on macOS, a zero at the end.
            guard path.utf8.count < 104 else { throw Fault(why: "a socket's path is at most 103 bytes") }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw Fault(why: "the port is missing") }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(digits) else {
            throw Fault(why: "the port must be 0 to 65535")
        }
        var host = String(text[..<colon])
        if host.isEmpty { throw Fault(why: "the host is missing; write 127.0.0.1:\(port)") }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw Fault(why: "an IPv6 address stands in brackets, [\(host)]:\(port)")
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard Self.isIPAddress(host) else { throw Fault(why: "'\(host)' is no IP address") }
        self = .ip(host: host, port: Int(port))
    }

    /// Only programs on this machine reach it.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .ip(let host, _): host.hasPrefix("127.") || host == "::1"
        }
    }

    private static func isIPAddress(_ host: String) -> Bool {
        guard !host.utf8.contains(0) else { return false }
        // Room for either.
        var address = in6_addr()
        let isV4 = unsafe inet_pton(AF_INET, host, &address) == 1
        let isV6 = unsafe inet_pton(AF_INET6, host, &address) == 1
        return isV4 || isV6
    }
}

extension ListenAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ip(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
