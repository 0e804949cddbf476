/// A request that is answered later, or in more than one step: what its answer needs of it.
struct ClientRequest {
    /// Counted on its connection; 0 for what was no request.
    let number: Int
    let method: String
    let target: [UInt8]
    let isHead: Bool
    let isAuthorized: Bool
    /// Bytes may follow that nobody reads: a body, or what came after a head that made no sense.
    let hasUnreadBytes: Bool
    let framing: AnswerWriter.Framing
    let ifNoneMatch: [UInt8]?
    /// ``GatewayConfiguration/uptime``; nil while nobody wants to know.
    let startedAt: Double?

    /// - Parameter bytes: the head was read from them.
    init(
        _ number: Int, _ head: RequestHead, in bytes: UnsafeRawBufferPointer, isAuthorized: Bool,
        closes: Bool, startedAt: Double?
    ) {
        self.number = number
        method = String(decoding: head.methodRange.bytes(in: bytes), as: UTF8.self)
        target = Array(head.target.bytes(in: bytes))
        isHead = head.method == .head
        self.isAuthorized = isAuthorized
        hasUnreadBytes = head.hasBody
        framing = AnswerWriter.Framing(closes: closes, saysKeepAlive: !closes && head.minorVersion == 0)
        ifNoneMatch = head.ifNoneMatch.map { Array($0.bytes(in: bytes)) }
        self.startedAt = startedAt
    }

    /// In place of bytes that are none.
    init(unreadableAt startedAt: Double?) {
        number = 0
        method = "-"
        target = []
        isHead = false
        isAuthorized = false
        hasUnreadBytes = true
        framing = AnswerWriter.Framing(closes: true)
        ifNoneMatch = nil
        self.startedAt = startedAt
    }
}
