/// A request that is answered later, or in more than one step: what its answer needs of it.
struct Exchange {
    var number = 0
    /// The sweep at which it is answered in any case.
    var lastTick = Int.max
    var method: String
    var target: [UInt8]
    var isHead: Bool
    var isAuthorized: Bool
    /// Bytes may follow that nobody reads: a body, or what came after a head that made no sense.
    var hasUnreadBytes: Bool
    var framing: AnswerWriter.Framing
    var ifNoneMatch: [UInt8]?
    var startedAt: Double
}
