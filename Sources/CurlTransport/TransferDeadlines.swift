import Platform
internal import RestEngine

/// The four limits of one transfer: which of them run, and which has passed. All times are on one clock,
/// which is given from outside.
struct TransferDeadlines {
    private let limits: Timeouts
    let start: Double
    private(set) var connectStart: Double?
    private(set) var connected: Double?
    private var lastByte: Double?
    private(set) var hasResponse = false
    /// When the wait for the server alone began, until it answers; nil before a connection is there or begun,
    /// and while a body is sent as its source gives it.
    private var firstByteStart: Double?
    /// The body comes as it is sent.
    private let awaitsBody: Bool

    init(limits: Timeouts, start: Double, awaitsBody: Bool = false) {
        self.limits = limits
        self.start = start
        self.awaitsBody = awaitsBody
    }

    /// A name look-up or a connection begins; only the first counts. The time before it was waiting for a
    /// slot.
    mutating func connectionBegan(at now: Double) {
        guard connectStart == nil, connected == nil else { return }
        connectStart = now
        firstByteStart = now
    }

    /// The connection is ready for the request, be it new or reused.
    mutating func connectionReady(at now: Double) {
        guard connected == nil else { return }
        connected = now
        if connectStart == nil { firstByteStart = now }
    }

    mutating func bodyBytesSent(at now: Double) {
        if awaitsBody { firstByteStart = nil }
        if !hasResponse { lastByte = now }
    }

    /// There is no more of the body for a while, for which the server isn't to blame.
    mutating func uploadHeld() {
        firstByteStart = nil
        lastByte = nil
    }

    /// The whole body is out: from here the first byte of the response is awaited, and the line may rest.
    mutating func bodySent(at now: Double) {
        if awaitsBody { firstByteStart = now }
        if !hasResponse { lastByte = nil }
    }

    mutating func responseBytes(at now: Double) {
        hasResponse = true
        lastByte = now
    }

    /// The body's receiver wants no more for a while.
    mutating func bodyHeld() { lastByte = nil }

    /// Seconds spent waiting for a connection slot.
    var queueTime: Double { max(0, (connectStart ?? connected ?? start) - start) }

    /// The limit that passes next, if nothing more happens.
    var next: (deadline: Double, phase: TransportError.Phase)? {
        var next: (deadline: Double, phase: TransportError.Phase)?
        func consider(_ limit: Double, from time: Double?, _ phase: TransportError.Phase) {
            guard let time, limit > 0 else { return }
            if next.map({ time + limit < $0.deadline }) ?? true { next = (time + limit, phase) }
        }
        consider(limits.connectSeconds, from: connected == nil ? connectStart : nil, .connect)
        consider(limits.firstByteSeconds, from: hasResponse ? nil : firstByteStart, .firstByte)
        consider(limits.idleSeconds, from: lastByte, .idle)
        consider(limits.totalSeconds, from: start, .total)
        return next
    }

    /// The limit that has passed, the earliest if several have.
    func expired(at now: Double) -> TransportError.Phase? {
        guard let next, next.deadline <= now else { return nil }
        return next.phase
    }
}

/// The time of the current pass, and when the next time limit has to be looked at: shared by a set of
/// transfers and its handles, whose callbacks run inside the pass. Of the set's thread.
final class LoopTime {
    /// The thread is the engine loop's.
    let isOfEngine: Bool
    /// Seconds on a clock that never jumps; read once a pass, not once a chunk.
    private(set) var now: Double = 0
    /// No limit passes before this; it may be earlier than the first that does.
    private(set) var nextCheck = Double.infinity

    /// Bytes that bodies may still take in this pass, about: a millisecond's worth or two, for others want
    /// something of the loop as well.
    var allowance = 0
    private static let bytesInPass = 512 << 10
    /// Handles with more to do than one pass shall wait for.
    var resting: [EasyHandle] = []
    /// Transfers with something for their receiver, each at least once.
    var arrived: [CurlTransfer] = []

    init(isOfEngine: Bool) {
        self.isOfEngine = isOfEngine
        update()
    }

    func beginPass() {
        allowance = Self.bytesInPass
        update()
    }

    func update() {
        now = ClockReading.uptime
    }

    func check(at deadline: Double) {
        if deadline < nextCheck { nextCheck = deadline }
    }

    /// Forgets the next check; the caller looks at all limits and sets it again.
    func beginCheck() { nextCheck = .infinity }
}
