import NIOCore
import RestEngine

/// Writes heads of answers.
struct AnswerWriter {
    let allocator: ByteBufferAllocator
    private var second = Int.min
    private var dateField = ""

    init(allocator: ByteBufferAllocator) { self.allocator = allocator }

    /// What the connection adds to the head.
    struct Framing {
        var closes = false
        /// HTTP/1.0 keeps a connection only when told so.
        var saysKeepAlive = false
    }

    /// The head of a resource's content, or of 304, which leaves out what it describes (RFC 9110 15.4.5).
    mutating func contentHead(
        _ answer: PublishedAnswer, isNotModified: Bool = false, _ cacheStatus: CacheStatus, now: Double,
        _ framing: Framing
    ) -> ByteBuffer {
        let rendering = ContentRendering.of(answer.content)
        let left = Self.wholeSeconds(answer.expiresAt - now)
        var head = allocator.buffer(capacity: 512)
        if isNotModified {
            head.writeString("HTTP/1.1 304 Not Modified\r\n")
        } else {
            head.writeImmutableBuffer(rendering.statusLine)
        }
        head.writeString(date(now))
        if !isNotModified { head.writeImmutableBuffer(rendering.fields) }
        head.writeImmutableBuffer(rendering.etagField)
        head.writeString(
            "Age: \(Self.wholeSeconds(now - answer.timestamp))\r\nCache-Control: max-age=\(left)\r\n")
        head.writeString("Cache-Status: \(cacheStatus.text(timeLeft: left))\r\n")
        finish(&head, framing)
        return head
    }

    mutating func head(of reply: Reply, now: Double, _ framing: Framing) -> ByteBuffer {
        var head = allocator.buffer(capacity: 512)
        head.writeString("HTTP/1.1 \(reply.status) \(StatusPhrase.text(for: reply.status))\r\n")
        head.writeString(date(now))
        for (name, value) in reply.fields { head.writeString("\(name): \(value)\r\n") }
        // RFC 9110 8.6: without content there is no length of it.
        if reply.status != 204 { head.writeString("Content-Length: \(reply.body.count)\r\n") }
        finish(&head, framing)
        return head
    }

    private func finish(_ head: inout ByteBuffer, _ framing: Framing) {
        if framing.closes {
            head.writeString("Connection: close\r\n\r\n")
        } else {
            head.writeString(framing.saysKeepAlive ? "Connection: keep-alive\r\n\r\n" : "\r\n")
        }
    }

    private mutating func date(_ now: Double) -> String {
        let second = Self.wholeSeconds(now)
        if second != self.second {
            self.second = second
            dateField = "Date: \(HTTPDate.text(unixSeconds: second))\r\n"
        }
        return dateField
    }

    /// RFC 9111 1.2.2: a time that is too long to be written is 2 to the 31st.
    static func wholeSeconds(_ seconds: Double) -> Int {
        seconds > 0 ? Int(min(seconds.rounded(.down), 2_147_483_648 * 4)) : 0
    }
}

/// How a resource's answer came about (RFC 9211).
enum CacheStatus: Sendable, Equatable {
    case hit
    case forwarded(isStale: Bool, isCollapsed: Bool)

    /// - Parameter timeLeft: Whole seconds for which the answer is fresh.
    func text(timeLeft: Int) -> String {
        switch self {
        case .hit: "resthost; hit; ttl=\(timeLeft)"
        case .forwarded(let isStale, let isCollapsed):
            "resthost; fwd=\(isStale ? "stale" : "miss")" + (isCollapsed ? "; collapsed" : "")
        }
    }
}

/// The phrases of RFC 9110 15; also the titles of problems, as RFC 9457 4.2.1 wants for `about:blank`.
enum StatusPhrase {
    static func text(for status: Int) -> String {
        if let known = known[status] { return known }
        return switch status {
        case ..<400: "OK"
        case ..<500: "Client Error"
        default: "Server Error"
        }
    }

    private static let known: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 207: "Multi-Status", 208: "Already Reported", 304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
