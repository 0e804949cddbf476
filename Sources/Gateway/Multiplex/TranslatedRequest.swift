import NIOCore
import NIOHPACK
import RestEngine

/// One request of HTTP/2 in the form of HTTP/1.1 (RFC 9113 8.3, 8.2.2).
///
/// What is written here is read by ``RequestParser``, and nothing may be read there that the client hasn't
/// said: names and values are looked at byte by byte.
struct TranslatedRequest {
    private(set) var hasHead = false
    private var isChunked = false
    /// The end of a head that may have no body, until that is known: clients end a read in an empty frame
    /// behind its head too, and what says that its body is empty may go on with one.
    private var isUndecided = false

    /// False when it is malformed.
    mutating func begin(_ headers: HPACKHeaders, isWhole: Bool, _ bytes: inout ByteBuffer) -> Bool {
        hasHead = true
        var pseudo: [String: String] = [:]
        var hosts: Set<String> = []
        var lines = ""
        var length: String?
        var cookies: [String] = []
        for (name, value, _) in headers {
            guard value.utf8.allSatisfy(HTTPByte.isFieldValue), !Self.isPadded(value) else { return false }
            if name.hasPrefix(":") {
                guard lines.isEmpty, hosts.isEmpty, cookies.isEmpty, Self.pseudoNames.contains(name),
                    pseudo.updateValue(value, forKey: name) == nil
                else { return false }
                continue
            }
            guard Method.isToken(name), name.utf8.allSatisfy({ !(0x41...0x5A).contains($0) }),
                !Self.ofConnections.contains(name), name != "te" || value == "trailers"
            else { return false }
            if name == "host" {
                hosts.insert(value)
                continue
            }
            if name == "cookie" {
                cookies.append(value)
                continue
            }
            if name == "content-length" { length = value }
            lines += "\(name): \(value)\r\n"
        }
        guard let method = pseudo[":method"], let path = pseudo[":path"], Method.isToken(method),
            let scheme = pseudo[":scheme"], scheme == "https" || scheme == "http", !path.isEmpty
        else { return false }
        if let authority = pseudo[":authority"] { hosts.insert(authority) }
        // Two names of one host are how one reader is told something else than another (RFC 9113 8.3.1).
        guard hosts.count < 2 else { return false }
        bytes.writeString("\(method) \(path) HTTP/1.1\r\n")
        if let host = hosts.first { bytes.writeString("host: \(host)\r\n") }
        // In HTTP/2 it may come in pieces; elsewhere there is one such field (RFC 9113 8.2.3).
        if !cookies.isEmpty { lines += "cookie: \(cookies.joined(separator: "; "))\r\n" }
        bytes.writeString(lines)
        isChunked = !isWhole && length == nil
        let mayBeEmpty = length.map { Int($0) == 0 } ?? (method == "GET" || method == "HEAD")
        isUndecided = !isWhole && mayBeEmpty
        if !isUndecided { endHead(&bytes) }
        return true
    }

    private func endHead(_ bytes: inout ByteBuffer) {
        if isChunked { bytes.writeString("transfer-encoding: chunked\r\n") }
        // A stream has one request.
        bytes.writeString("connection: close\r\n\r\n")
    }

    mutating func add(_ content: ByteBuffer, _ bytes: inout ByteBuffer) {
        guard content.readableBytes > 0 else { return }
        if isUndecided {
            // It was to be empty: what comes could only be taken for another request.
            guard isChunked else { return }
            isUndecided = false
            endHead(&bytes)
        }
        if isChunked { bytes.writeString(String(content.readableBytes, radix: 16) + "\r\n") }
        bytes.writeImmutableBuffer(content)
        if isChunked { bytes.writeString("\r\n") }
    }

    mutating func end(_ bytes: inout ByteBuffer) {
        if isUndecided {
            (isUndecided, isChunked) = (false, false)
            return endHead(&bytes)
        }
        if isChunked { bytes.writeString("0\r\n\r\n") }
        isChunked = false
    }

    private static let pseudoNames: Set<String> = [":method", ":scheme", ":authority", ":path"]

    /// Not for streams (RFC 9113 8.2.2).
    private static let ofConnections: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade", "http2-settings",
    ]

    private static func isPadded(_ value: String) -> Bool {
        value.utf8.first.map(HTTPByte.isBlank) ?? false || value.utf8.last.map(HTTPByte.isBlank) ?? false
    }
}
