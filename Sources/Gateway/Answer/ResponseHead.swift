import NIOCore
import NIOHPACK
import RestEngine

/// The head of an answer. It is a value: the bytes of each HTTP version are written from it, and never read
/// back.
///
/// Contributors write its fields. Each contributor knows one subject and lives in one place. ``write(to:)``
/// lists them in the order in which their fields go out:
///
/// * the date, and the ID of the request,
/// * content: ``ContentFields``,
/// * access policy and scripts: ``ForwardedHeaders``, which chooses from the headers of the API and of a
///   script, and ``Problem``,
/// * tracing: the times of the messages of one request,
/// * freshness: ``Freshness``, with ``CacheStatus``,
/// * CORS: ``OriginRules``.
///
/// A contributor writes to a ``FieldSection`` and doesn't know the HTTP version. ``Framing`` belongs to the
/// version and not to the answer, so it is no contributor.
struct ResponseHead: Sendable {
    /// How HTTP/1.1 marks the end of a message and of its connection (RFC 9112 6, 9). HTTP/2 uses frames for
    /// that (RFC 9113 8.2.2).
    struct Framing: Sendable {
        var closes = false
        /// HTTP/1.0 keeps a connection open only if the answer says so.
        var saysKeepAlive = false
        var isChunked = false
    }

    let status: Int
    /// Nil for an interim answer (RFC 9110 15.2).
    var date: String?
    /// The ID of the request that it answers; nil for an answer to many.
    var requestID: String?
    var content = ContentFields()
    /// The fields of the API, of a script or of a problem.
    var proxied: [(String, String)] = []
    /// The value of Server-Timing.
    var timing: String?
    /// Nil if the head has no such fields.
    var freshness: Freshness?
    /// The fields for the page that sent the request.
    var cors: [(String, String)] = []
    var framing = Framing()
    /// Fields in place of all others but the length; nil unless a hook changed the head.
    var replaced: [(String, String)]?

    /// The fields that a hook may change.
    var changeableFields: [(String, String)] {
        var list = FieldPairs()
        write(to: &list)
        return list.pairs.filter { !ServedHead.managed.contains($0.0.lowercased()) }
    }

    private func write(to fields: inout some FieldSection) {
        if let date { fields.add("Date", date) }
        if let requestID { fields.add(RequestID.header, requestID) }
        if let replaced {
            if let length = content.length { fields.add("Content-Length", length) }
            for (name, value) in replaced { fields.add(name, value) }
            return
        }
        content.write(to: &fields)
        for (name, value) in proxied { fields.add(name, value) }
        if let timing { fields.add("Server-Timing", timing) }
        freshness?.write(to: &fields)
        for (name, value) in cors { fields.add(name, value) }
    }

    /// The head in HTTP/1.1, with the empty line at the end.
    ///
    /// - Parameter room: The number of bytes to reserve for content in the same piece.
    func lines(room: Int = 0) -> ByteBuffer {
        var lines = FieldLines(status: status, capacity: 512 + room)
        write(to: &lines)
        if framing.isChunked { lines.add("Transfer-Encoding", "chunked") }
        if framing.closes {
            lines.add("Connection", "close")
        } else if framing.saysKeepAlive {
            lines.add("Connection", "keep-alive")
        }
        lines.end()
        return lines.bytes
    }

    /// The head in HTTP/2.
    func list(indexing: HPACKIndexing) -> HPACKHeaders {
        var list = FieldList(status: status, indexing: indexing)
        write(to: &list)
        return list.headers
    }
}

/// The value of Date, made once for each second (RFC 9110 6.6.1).
struct ResponseDate {
    /// Unix time in seconds. All other times of heads are times of the monotonic clock.
    private let clock: @Sendable () -> Double
    private var second = Int.min
    private var text = ""

    init(clock: @escaping @Sendable () -> Double) { self.clock = clock }

    mutating func value(at uptime: Double) -> String {
        let second = uptime.wholeSeconds
        if second != self.second {
            self.second = second
            text = HTTPDate.text(unixSeconds: clock().wholeSeconds)
        }
        return text
    }
}
