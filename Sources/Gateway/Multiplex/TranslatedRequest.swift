import NIOCore
import NIOHPACK
import RestEngine

/// One request of HTTP/2 in the form of HTTP/1.1 (RFC 9113 8.3, 8.2.2).
///
/// ``RequestParser`` reads the bytes that are written here. They must not contain anything that the client
/// didn't send, so names and values are checked byte by byte.
struct TranslatedRequest {
    private(set) var hasHead = false
    private var isChunked = false
    /// The end of the head waits until it is known whether a body follows. Clients may also end a request by
    /// an empty frame behind its head, and a request with a length of 0 may go on with bytes.
    private var isUndecided = false

    /// False if the head is malformed.
    mutating func begin(_ headers: HPACKHeaders, isWhole: Bool, _ bytes: inout ByteBuffer) -> Bool {
        hasHead = true
        var pseudo = PseudoFields()
        var hasLines = false
        var host: String?
        var length: String?
        var cookie: String?
        for (name, value, _) in headers {
            guard Self.isValue(value) else { return false }
            if name.utf8.first == UInt8(ascii: ":") {
                guard !hasLines, pseudo.take(name, value) else { return false }
                continue
            }
            guard Self.isName(name), name != "te" || value == "trailers" else { return false }
            if !hasLines {
                guard pseudo.write(to: &bytes) else { return false }
                (hasLines, host) = (true, pseudo.authority)
            }
            if name == "host" {
                // Two names of one host could make two readers disagree (RFC 9113 8.3.1).
                guard host == nil || host == value else { return false }
                if host != nil { continue }
                host = value
            }
            if name == "cookie" {
                cookie = cookie.map { $0 + "; " + value } ?? value
                continue
            }
            if name == "content-length" { length = value }
            bytes.writeLine(name, value)
        }
        guard hasLines || pseudo.write(to: &bytes) else { return false }
        // HTTP/2 may split Cookie into several fields. HTTP/1.1 allows only one (RFC 9113 8.2.3).
        if let cookie { bytes.writeLine("cookie", cookie) }
        isChunked = !isWhole && length == nil
        let mayBeEmpty =
            length.map { Int($0) == 0 } ?? (pseudo.method == "GET" || pseudo.method == "HEAD")
        isUndecided = !isWhole && mayBeEmpty
        if !isUndecided { endHead(&bytes) }
        return true
    }

    /// Whether these fields may come behind a body (RFC 9113 8.1).
    static func areTrailers(_ headers: HPACKHeaders) -> Bool {
        headers.allSatisfy { isName($0.name) && isValue($0.value) }
    }

    private func endHead(_ bytes: inout ByteBuffer) {
        if isChunked { bytes.writeString("transfer-encoding: chunked\r\n") }
        // A stream has one request.
        bytes.writeString("connection: close\r\n\r\n")
    }

    mutating func add(_ content: ByteBuffer, _ bytes: inout ByteBuffer) {
        guard content.readableBytes > 0 else { return }
        if isUndecided {
            // The body was announced as empty, so its bytes could only be taken for another request.
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

    /// Fields that streams must not have (RFC 9113 8.2.2).
    private static let ofConnections: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade", "http2-settings",
    ]

    /// A token in lower case that streams may have (RFC 9113 8.2).
    private static func isName(_ name: String) -> Bool {
        let isToken =
            name.utf8.withContiguousStorageIfAvailable { bytes in
                !bytes.isEmpty
                    && bytes.allSatisfy { HTTPByte.isToken($0) && !(0x41...0x5A).contains($0) }
            } ?? false
        guard isToken else { return false }
        // Only names of these lengths have to be looked up, and few others have them.
        return switch name.utf8.count {
        case 7, 10, 14, 16, 17: !ofConnections.contains(name)
        default: true
        }
    }

    /// The value isn't padded, and has no invalid bytes (RFC 9113 8.2.1).
    private static func isValue(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            return !HTTPByte.isBlank(first) && !HTTPByte.isBlank(last)
                && bytes.allSatisfy { HTTPByte.isFieldValue($0) }
        } ?? false
    }
}

/// The fields that HTTP/1.1 has in its first line and in Host (RFC 9113 8.3.1).
private struct PseudoFields {
    private(set) var method: String?
    private(set) var authority: String?
    private var scheme: String?
    private var path: String?

    /// False for an unknown or repeated name, and for a value that would be two words of a line.
    mutating func take(_ name: String, _ value: String) -> Bool {
        guard !value.utf8.contains(where: HTTPByte.isBlank) else { return false }
        switch name {
        case ":method" where method == nil: method = value
        case ":scheme" where scheme == nil: scheme = value
        case ":authority" where authority == nil: authority = value
        case ":path" where path == nil: path = value
        default: return false
        }
        return true
    }

    /// False if they make no valid request.
    func write(to bytes: inout ByteBuffer) -> Bool {
        guard let method, let path, Method.isToken(method), !path.isEmpty,
            scheme == "https" || scheme == "http"
        else { return false }
        bytes.writeString(method)
        bytes.writeStaticString(" ")
        bytes.writeString(path)
        bytes.writeStaticString(" HTTP/1.1\r\n")
        if let authority { bytes.writeLine("host", authority) }
        return true
    }
}

extension ByteBuffer {
    fileprivate mutating func writeLine(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}
