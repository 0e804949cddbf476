import NIOCore
import RestEngine

/// An address to listen on, read from its text.
enum ListenAddress: Equatable {
    case socket(SocketAddress)
    case unix(path: String)

    /// Each with its text, in the order given.
    static func list(
        _ texts: [String]
    ) throws(GatewayError) -> [(text: String, address: ListenAddress)] {
        var addresses: [(text: String, address: ListenAddress)] = []
        for text in texts { addresses.append((text, try ListenAddress(text))) }
        return addresses
    }

    init(_ text: String) throws(GatewayError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/") else { throw .badAddress(text, why: "a socket's path begins with '/'") }
            // sockaddr_un holds 108 bytes on Linux, 104 on macOS, a zero at the end.
            guard path.utf8.count < 104 else {
                throw .badAddress(text, why: "a socket's path is at most 103 bytes")
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw .badAddress(text, why: "the port is missing") }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(HTTPByte.isDigit), let port = UInt16(digits) else {
            throw .badAddress(text, why: "the port must be 0 to 65535")
        }
        var host = String(text[..<colon])
        if host.isEmpty { throw .badAddress(text, why: "the host is missing; write 127.0.0.1:\(port)") }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .badAddress(text, why: "an IPv6 address stands in brackets, [\(host)]:\(port)")
        }
        if host == "localhost" { host = "127.0.0.1" }
        do { self = .socket(try SocketAddress(ipAddress: host, port: Int(port))) } catch {
            throw .badAddress(text, why: "'\(host)' is no IP address")
        }
    }
}

extension SocketAddress {
    /// As a listen address is written.
    var listenText: String {
        switch self {
        case .v4: "\(ipAddress ?? ""):\(port ?? 0)"
        case .v6: "[\(ipAddress ?? "")]:\(port ?? 0)"
        case .unixDomainSocket: "unix:\(pathname ?? "")"
        }
    }
}
