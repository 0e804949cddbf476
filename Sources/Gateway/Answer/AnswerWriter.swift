import NIOCore
import RestEngine

/// Writes heads of answers.
struct AnswerWriter {
    let allocator: ByteBufferAllocator
    /// Unix time in seconds, for dates. All other times here are of the clock that never jumps, as those of
    /// answers are.
    private let clock: @Sendable () -> Double
    private var second = Int.min
    private var dateField = ""

    init(allocator: ByteBufferAllocator, clock: @escaping @Sendable () -> Double) {
        (self.allocator, self.clock) = (allocator, clock)
    }

    /// What the connection adds to the head.
    struct Framing {
        var closes = false
        /// HTTP/1.0 keeps a connection only when told so.
        var saysKeepAlive = false
        /// What else this client's answers say.
        var lines = ""
    }

    /// What the head of a content says of it; a 304 leaves most of it out (RFC 9110 15.4.5).
    struct ContentHead {
        var statusLine: ByteBuffer
        /// Nil for a 304.
        var fields: ByteBuffer?
        var validators: ByteBuffer
        /// Of the API's own.
        var kept: ByteBuffer
    }

    /// - Parameter room: For so many bytes that may follow in the same piece.
    mutating func contentHead(
        _ parts: ContentHead, of answer: PublishedAnswer, _ cacheStatus: CacheStatus, now: Double,
        _ framing: Framing, room: Int = 0
    ) -> ByteBuffer {
        let left = Self.wholeSeconds(answer.expiresAt - now)
        var head = beginning(of: parts, now: now, room: room)
        // Each line's end with the beginning of the next: of small pieces the writing is most of the work.
        head.writeStaticString("Age: ")
        head.writeDecimal(Self.wholeSeconds(now - answer.timestamp))
        // RFC 9111 4.2: fresh as long as it is more than the age, so it counts from the same moment. What the
        // addition of both times has rounded off is no second less.
        head.writeStaticString("\r\nCache-Control: max-age=")
        head.writeDecimal(Self.wholeSeconds(answer.expiresAt - answer.timestamp + 1e-3))
        // RFC 9211 2.6: of what is stale it is negative.
        let late = Self.wholeSeconds((now - answer.expiresAt).rounded(.up))
        cacheStatus.write(to: &head, timeLeft: left > 0 ? left : -late)
        finish(&head, framing)
        return head
    }

    /// Of a content that one client alone gets.
    mutating func ownHead(_ parts: ContentHead, now: Double, _ framing: Framing, room: Int) -> ByteBuffer {
        var head = beginning(of: parts, now: now, room: room)
        head.writeStaticString("Cache-Control: no-store\r\n")
        finish(&head, framing)
        return head
    }

    private mutating func beginning(of parts: ContentHead, now: Double, room: Int) -> ByteBuffer {
        var head = allocator.buffer(capacity: 512 + room)
        head.writeImmutableBuffer(parts.statusLine)
        head.writeString(date(now))
        if let fields = parts.fields { head.writeImmutableBuffer(fields) }
        head.writeImmutableBuffer(parts.validators)
        head.writeImmutableBuffer(parts.kept)
        return head
    }

    /// Of a stream, whose end is that of its connection.
    mutating func streamHead(now: Double, _ framing: Framing) -> ByteBuffer {
        var head = allocator.buffer(capacity: 256)
        head.writeString("HTTP/1.1 200 OK\r\n")
        head.writeString(date(now))
        // The last is for nginx, which else collects what it passes on.
        head.writeString(
            "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nVary: Accept\r\nX-Accel-Buffering: no\r\n"
        )
        finish(&head, Framing(closes: true, lines: framing.lines))
        return head
    }

    mutating func head(of reply: Reply, now: Double, _ framing: Framing) -> ByteBuffer {
        var head = allocator.buffer(capacity: 512)
        head.writeString("HTTP/1.1 \(reply.status) \(StatusPhrase.text(for: reply.status))\r\n")
        head.writeString(date(now))
        for (name, value) in reply.fields { head.writeString("\(name): \(value)\r\n") }
        // RFC 9110 8.6: without content there is no length of it.
        if reply.status != 204, reply.saysLength {
            head.writeString("Content-Length: \(reply.body.count)\r\n")
        }
        finish(&head, framing)
        return head
    }

    /// Of an answer whose body comes behind it.
    mutating func head(
        of answer: StreamedAnswer, isChunked: Bool, now: Double, _ framing: Framing
    ) -> ByteBuffer {
        var head = allocator.buffer(capacity: 512)
        head.writeString("HTTP/1.1 \(answer.status) \(StatusPhrase.text(for: answer.status))\r\n")
        head.writeString(date(now))
        for (name, value) in answer.fields { head.writeString("\(name): \(value)\r\n") }
        if let length = answer.length, answer.status != 204 {
            head.writeString("Content-Length: \(length)\r\n")
        }
        if isChunked { head.writeString("Transfer-Encoding: chunked\r\n") }
        finish(&head, framing)
        return head
    }

    private func finish(_ head: inout ByteBuffer, _ framing: Framing) {
        if !framing.lines.isEmpty { head.writeString(framing.lines) }
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
            dateField = "Date: \(HTTPDate.text(unixSeconds: Self.wholeSeconds(clock())))\r\n"
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
    case hit(Source)
    case forwarded(isStale: Bool, isCollapsed: Bool)
    /// Old data on purpose, and why (rules 44).
    case stale(String)

    enum Source: String, Sendable {
        case memory
        /// One of the resource's caches.
        case cache
    }

    /// The line of a head, behind another one.
    ///
    /// - Parameter timeLeft: Whole seconds for which the answer is fresh.
    fileprivate func write(to head: inout ByteBuffer, timeLeft: Int) {
        switch self {
        case .hit(.memory): head.writeField("\r\nCache-Status: resthost; hit; ttl=", timeLeft)
        case .hit(let source): Self.write("\(timeLeft); detail=\(source.rawValue)", to: &head)
        case .stale(let reason): Self.write("\(timeLeft); detail=\(reason)", to: &head)
        case .forwarded(isStale: false, isCollapsed: false):
            head.writeStaticString("\r\nCache-Status: resthost; fwd=miss\r\n")
        case .forwarded(let isStale, let isCollapsed):
            head.writeStaticString("\r\nCache-Status: resthost; fwd=")
            head.writeStaticString(isStale ? "stale" : "miss")
            head.writeStaticString(isCollapsed ? "; collapsed\r\n" : "\r\n")
        }
    }

    private static func write(_ time: String, to head: inout ByteBuffer) {
        head.writeField("\r\nCache-Status: resthost; hit; ttl=", time)
    }
}

extension ByteBuffer {
    /// A line of a head; `name` has its colon and what else stands before the value.
    mutating func writeField(_ name: StaticString, _ value: String) {
        writeStaticString(name)
        writeString(value)
        writeStaticString("\r\n")
    }

    mutating func writeField(_ name: StaticString, _ value: Int) {
        writeStaticString(name)
        writeDecimal(value)
        writeStaticString("\r\n")
    }

    /// Without a text between.
    fileprivate mutating func writeDecimal(_ number: Int) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var start = digits.count
            var rest = number.magnitude
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
                rest /= 10
            } while rest > 0
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            _ = writeBytes(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }
}
