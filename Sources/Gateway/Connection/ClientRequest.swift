import RestEngine

/// A request that is answered later, or in several steps, with all that its answer needs.
struct ClientRequest {
    /// The constant part. It is behind one reference, because the request is handed on a dozen times.
    private let head: Head
    /// The request's conditions, if the connection's cache knows them.
    var known: KnownConditions?
    /// Bytes may follow that will not be read: a body, or the bytes after an invalid head.
    private(set) var hasUnreadBytes: Bool
    /// Nil if it meets no hooks.
    var hooks: HookedRequest?
    /// Its span in a trace; nil if no spans are made.
    private(set) var span: TraceSpan?
    /// The client's, or one of the gateway (rules 74).
    var id = ""
    /// The service that it is for; nil while it is unknown whether there is one of that name.
    var service: String?

    /// The number of the request on its connection; 0 for bytes that were no request.
    var number: Int { head.number }
    var method: String { head.method }
    var target: [UInt8] { ownTarget ?? head.target }
    /// The target without a token; nil if it has none.
    private var ownTarget: [UInt8]?
    var isHead: Bool { head.isHead }
    /// Nil for bytes that were no request.
    var client: GatewayLoop.Client? { head.client }
    var isAuthorized: Bool { client?.isAuthorized ?? false }
    var isOperator: Bool { client?.isOperator ?? false }
    /// The access policy for its client; nil if the client is unknown.
    var accessPolicy: AccessPolicy? { client?.accessPolicy }
    /// The fields of its head.
    var fields: RequestFields { head.fields }
    /// How its body is framed; nil if it has none.
    var body: BodyReader? { head.body }
    /// The length that was announced; nil for a body in chunks.
    var contentLength: Int? { head.contentLength }
    /// The client waits for `100 Continue` before it sends the body (RFC 9110 10.1.1).
    var expectsContinue: Bool { head.expectsContinue }
    /// The request is of HTTP/1.0, which has no chunks.
    var isOld: Bool { head.isOld }
    /// A time of ``GatewayConfiguration/uptime``; nil if neither log nor metrics need it.
    var startedAt: Double? { head.startedAt }

    /// - Parameters:
    ///   - bytes: The bytes from which the head was read.
    ///   - closes: Its answer ends the connection, even if the client wants to keep it.
    init(
        _ number: Int, _ head: RequestHead, in bytes: UnsafeRawBufferPointer, limits: GatewayLimits,
        _ client: GatewayLoop.Client, closes: Bool, startedAt: Double?
    ) {
        self.head = Head(
            number, head, in: bytes, limits: limits, client, closes: closes, startedAt: startedAt)
        hasUnreadBytes = head.hasBody
    }

    /// Replaces the target by one without a token; see ``EventCredentials``. Nil leaves it.
    mutating func leave(_ target: [UInt8]?) { ownTarget = target }

    /// Stands for bytes that are no request.
    init(unreadableAt startedAt: Double?) {
        head = Head(unreadableAt: startedAt)
        hasUnreadBytes = true
    }

    private final class Head {
        let number: Int
        let method: String
        let target: [UInt8]
        let isHead: Bool
        let client: GatewayLoop.Client?
        let fields: RequestFields
        let notable: NotableFields
        /// The request has conditions about the content.
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
            self.client = client
            fields = RequestFields(Array(bytes[..<head.length]))
            notable = head.notable
            hasConditions = !head.isPlain
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
            (isHead, client) = (false, nil)
            (fields, notable, hasConditions) = (.none, [], false)
            (body, contentLength, expectsContinue) = (nil, nil, false)
            (isLast, isOld) = (true, false)
            self.startedAt = startedAt
        }
    }

    /// An unread body would be taken for the next request, so the connection ends with this one.
    var framing: ResponseHead.Framing {
        let closes = head.isLast || hasUnreadBytes
        return ResponseHead.Framing(closes: closes, saysKeepAlive: !closes && isOld)
    }

    /// The origin of the page that sent the request.
    var pageOrigin: String? { head.notable.contains(.origin) ? fields.single("origin") : nil }

    /// The body was read completely, so the next request begins behind it.
    mutating func bodyIsRead() { hasUnreadBytes = false }

    var conditions: ReadConditions {
        if let known { return known.conditions }
        return head.hasConditions ? ReadConditions(fields, head.notable, isHead: isHead) : .usual
    }
}

extension ClientRequest {
    /// The trace that the client's `traceparent` names (W3C Trace Context).
    private var outerTrace: TraceContext? {
        guard let parent = fields["traceparent"] else { return nil }
        return TraceContext(parent: parent, state: fields["tracestate"])
    }

    mutating func makeSpan() { span = TraceSpan(below: outerTrace) }

    /// The origin of the requests to APIs that are made for this one.
    var origin: RequestOrigin { RequestOrigin(trace: span?.context ?? outerTrace, id: id) }
}
