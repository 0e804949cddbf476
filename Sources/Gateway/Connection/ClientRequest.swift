import RestEngine

/// A request that is answered later, or in more than one step: what its answer needs of it.
struct ClientRequest {
    /// Counted on its connection; 0 for what was no request.
    let number: Int
    let method: String
    let target: [UInt8]
    let isHead: Bool
    let isAuthorized: Bool
    /// What it may reach; nil while nobody has asked.
    let exposure: Exposure?
    /// Those of its head.
    let fields: RequestFields
    let notable: NotableFields
    /// What it says of the content, where that was said before.
    var known: KnownTerms?
    /// It says how it wants the content.
    private let hasTerms: Bool
    /// How its body comes; nil for none.
    let body: BodyReader?
    /// As announced; nil for a body in chunks.
    let contentLength: Int?
    /// It waits for `100 Continue` before it sends its body (RFC 9110 10.1.1).
    let expectsContinue: Bool
    /// Bytes may follow that nobody reads: a body, or what came after a head that made no sense.
    private(set) var hasUnreadBytes: Bool
    /// For the answer to a page of another origin.
    private let lines: String
    private let isLast: Bool
    /// Of HTTP/1.0, which knows no chunks.
    let isOld: Bool
    /// ``GatewayConfiguration/uptime``; nil while nobody wants to know.
    let startedAt: Double?
    /// As which it is part of a trace; nil where no spans are made.
    private(set) var span: TraceSpan?

    /// - Parameters:
    ///   - bytes: the head was read from them.
    ///   - closes: its answer ends the connection, whatever it says itself.
    init(
        _ number: Int, _ head: RequestHead, in bytes: UnsafeRawBufferPointer, limits: GatewayLimits,
        _ client: GatewayLoop.Client, closes: Bool, startedAt: Double?
    ) {
        self.number = number
        method = String(decoding: head.methodRange.bytes(in: bytes), as: UTF8.self)
        target = Array(head.target.bytes(in: bytes))
        isHead = head.method == .head
        isAuthorized = client.isAuthorized
        exposure = client.exposure
        fields = RequestFields(Array(bytes[..<head.length]))
        lines = client.lines
        notable = head.notable
        hasTerms = !head.notable.isEmpty || head.ifNoneMatch != nil
        hasUnreadBytes = head.hasBody
        body =
            head.hasBody
            ? BodyReader(contentLength: head.isChunked ? nil : head.contentLength, limits: limits) : nil
        contentLength = head.contentLength
        expectsContinue = head.expectsContinue && head.minorVersion == 1
        isLast = closes || !head.isPersistent
        isOld = head.minorVersion == 0
        self.startedAt = startedAt
    }

    /// In place of bytes that are none.
    init(unreadableAt startedAt: Double?) {
        number = 0
        method = "-"
        target = []
        isHead = false
        isAuthorized = false
        exposure = nil
        fields = .none
        lines = ""
        notable = []
        hasTerms = false
        body = nil
        contentLength = nil
        expectsContinue = false
        hasUnreadBytes = true
        isLast = true
        isOld = false
        self.startedAt = startedAt
    }

    /// A body that nobody reads would be taken for the next request, so the connection ends with it.
    var framing: AnswerWriter.Framing {
        let closes = isLast || hasUnreadBytes
        return AnswerWriter.Framing(closes: closes, saysKeepAlive: !closes && isOld, lines: lines)
    }

    /// It is complete: the next request begins behind it.
    mutating func bodyIsRead() { hasUnreadBytes = false }

    var terms: ReadTerms {
        if let known { return known.terms }
        return hasTerms ? ReadTerms(fields, notable, isHead: isHead) : .usual
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
