import RestEngine

/// A request that is answered later, or in more than one step: what its answer needs of it.
struct ClientRequest {
    /// What never changes. Behind one reference, since the request is handed on a dozen times.
    private let head: Head
    /// What it says of the content, where that was said before.
    var known: KnownConditions?
    /// Bytes may follow that nobody reads: a body, or what came after a head that made no sense.
    private(set) var hasUnreadBytes: Bool
    /// As which it is part of a trace; nil where no spans are made.
    private(set) var span: TraceSpan?

    /// Counted on its connection; 0 for what was no request.
    var number: Int { head.number }
    var method: String { head.method }
    var target: [UInt8] { head.target }
    var isHead: Bool { head.isHead }
    var isAuthorized: Bool { head.isAuthorized }
    var isOperator: Bool { head.isOperator }
    /// What it may reach; nil while nobody has asked.
    var accessPolicy: AccessPolicy? { head.accessPolicy }
    /// Those of its head.
    var fields: RequestFields { head.fields }
    /// How its body comes; nil for none.
    var body: BodyReader? { head.body }
    /// As announced; nil for a body in chunks.
    var contentLength: Int? { head.contentLength }
    /// It waits for `100 Continue` before it sends its body (RFC 9110 10.1.1).
    var expectsContinue: Bool { head.expectsContinue }
    /// Of HTTP/1.0, which knows no chunks.
    var isOld: Bool { head.isOld }
    /// ``GatewayConfiguration/uptime``; nil while nobody wants to know.
    var startedAt: Double? { head.startedAt }

    /// - Parameters:
    ///   - bytes: the head was read from them.
    ///   - closes: its answer ends the connection, whatever it says itself.
    init(
        _ number: Int, _ head: RequestHead, in bytes: UnsafeRawBufferPointer, limits: GatewayLimits,
        _ client: GatewayLoop.Client, closes: Bool, startedAt: Double?
    ) {
        self.head = Head(
            number, head, in: bytes, limits: limits, client, closes: closes, startedAt: startedAt)
        hasUnreadBytes = head.hasBody
    }

    /// In place of bytes that are none.
    init(unreadableAt startedAt: Double?) {
        head = Head(unreadableAt: startedAt)
        hasUnreadBytes = true
    }

    private final class Head {
        let number: Int
        let method: String
        let target: [UInt8]
        let isHead: Bool
        let isAuthorized: Bool
        let isOperator: Bool
        let accessPolicy: AccessPolicy?
        let fields: RequestFields
        let notable: NotableFields
        /// It says how it wants the content.
        let hasConditions: Bool
        let body: BodyReader?
        let contentLength: Int?
        let expectsContinue: Bool
        let isLast: Bool
        let isOld: Bool
        let startedAt: Double?

        init(
            _ number: Int, _ head: RequestHead, in bytes: UnsafeRawBufferPointer, limits: GatewayLimits,
            _ client: GatewayLoop.Client, closes: Bool, startedAt: Double?
        ) {
            self.number = number
            method = String(decoding: head.methodRange.bytes(in: bytes), as: UTF8.self)
            target = Array(head.target.bytes(in: bytes))
            isHead = head.method == .head
            (isAuthorized, isOperator) = (client.isAuthorized, client.isOperator)
            accessPolicy = client.accessPolicy
            fields = RequestFields(Array(bytes[..<head.length]))
            notable = head.notable
            hasConditions = !head.notable.isEmpty || head.ifNoneMatch != nil
            body =
                head.hasBody
                ? BodyReader(contentLength: head.isChunked ? nil : head.contentLength, limits: limits) : nil
            contentLength = head.contentLength
            expectsContinue = head.expectsContinue && head.minorVersion == 1
            isLast = closes || !head.isPersistent
            isOld = head.minorVersion == 0
            self.startedAt = startedAt
        }

        init(unreadableAt startedAt: Double?) {
            (number, method, target) = (0, "-", [])
            (isHead, isAuthorized, isOperator, accessPolicy) = (false, false, false, nil)
            (fields, notable, hasConditions) = (.none, [], false)
            (body, contentLength, expectsContinue) = (nil, nil, false)
            (isLast, isOld) = (true, false)
            self.startedAt = startedAt
        }
    }

    /// A body that nobody reads would be taken for the next request, so the connection ends with it.
    var framing: ResponseHead.Framing {
        let closes = head.isLast || hasUnreadBytes
        return ResponseHead.Framing(closes: closes, saysKeepAlive: !closes && isOld)
    }

    /// Of the page that sent it.
    var origin: String? { head.notable.contains(.origin) ? fields.single("origin") : nil }

    /// It is complete: the next request begins behind it.
    mutating func bodyIsRead() { hasUnreadBytes = false }

    var conditions: ReadConditions {
        if let known { return known.conditions }
        return head.hasConditions ? ReadConditions(fields, head.notable, isHead: isHead) : .usual
    }
}

extension ClientRequest {
    /// What the client says that it is part of (W3C Trace Context).
    private var outerTrace: TraceContext? {
        guard let parent = fields["traceparent"] else { return nil }
        return TraceContext(parent: parent, state: fields["tracestate"])
    }

    mutating func makeSpan() { span = TraceSpan(below: outerTrace) }

    /// What requests to APIs are made for.
    var trace: TraceContext? { span?.context ?? outerTrace }
}
